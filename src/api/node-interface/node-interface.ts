import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { readFor } from '../http/answer-pace.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { sendAnswer, type NodeAnswer } from './node-answer.js';

/** Answers requests in the name of nodes. */
@Injectable()
export class NodeInterface {
  constructor(
    private readonly nodes: NodesQuery,
    private readonly reads: ReadDatabase,
  ) {}

  /** Sends what `work` makes of a request. @throws as {@link ask} */
  async serve(node: string, reply: HttpReply, work: () => Promise<NodeAnswer>): Promise<void> {
    sendAnswer(reply, await this.ask(node, reply, work));
  }

  /**
   * What `work` finds out for a request. It ends when the client of that leaves.
   * @throws ApiError NOT_FOUND where no node of that id was ever watched
   */
  async ask<T>(node: string, reply: HttpReply, work: () => Promise<T>): Promise<T> {
    return readFor(reply.raw, this.reads).run(async () => {
      await this.nodes.requireNode(node);
      return work();
    });
  }
}
