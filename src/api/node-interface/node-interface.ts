import { Injectable } from '@nestjs/common';
import { ReadRequest } from '../../platform/reads/read-request.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { whenOver } from '../http/answer-over.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { sendAnswer, type NodeAnswer } from './node-answer.js';

/** Answers requests in the name of nodes. */
@Injectable()
export class NodeInterface {
  constructor(private readonly nodes: NodesQuery) {}

  /** Sends what `work` makes of a request. @throws as {@link ask} */
  async serve(node: string, reply: HttpReply, work: () => Promise<NodeAnswer>): Promise<void> {
    sendAnswer(reply, await this.ask(node, reply, work));
  }

  /**
   * What `work` finds out for a request. It ends when the client of that leaves.
   * @throws ApiError NOT_FOUND where no node of that id was ever watched
   */
  async ask<T>(node: string, reply: HttpReply, work: () => Promise<T>): Promise<T> {
    const reading = new ReadRequest();
    whenOver(reply.raw, () => reading.end());
    return reading.run(async () => {
      await this.nodes.requireNode(node);
      return work();
    });
  }
}
