import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { requireKnownNames } from '../../statistics/read/known-names.query.js';
import type { HttpReply } from '../graphql/http-messages.js';
import { readFor } from '../http/answer-pace.js';
import { sendAnswer, type ServedAnswer } from './node-answer.js';

/** Answers requests in the name of nodes. */
@Injectable()
export class NodeInterface {
  constructor(private readonly reads: ReadDatabase) {}

  /** Sends the response that `work` produces. @throws as {@link ask} */
  async serve(node: string, reply: HttpReply, work: () => Promise<ServedAnswer>): Promise<void> {
    sendAnswer(reply, await this.ask(node, reply, work));
  }

  /**
   * Runs `work` for a request; its reads end when the client leaves.
   * @throws UnknownName where no node with that id was ever configured
   */
  async ask<T>(node: string, reply: HttpReply, work: () => Promise<T>): Promise<T> {
    return readFor(reply.raw, this.reads).run(async () => {
      await requireKnownNames(this.reads, { nodes: [node] });
      return work();
    });
  }
}
