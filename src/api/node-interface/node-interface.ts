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

  /**
   * Sends what `work` makes of a request, and ends it when its client leaves.
   * @throws ApiError NOT_FOUND where no node of that id was ever watched
   */
  async serve(node: string, reply: HttpReply, work: () => Promise<NodeAnswer>): Promise<void> {
    const reading = new ReadRequest();
    whenOver(reply.raw, () => reading.end());
    const answer = await reading.run(async () => {
      await this.nodes.requireNode(node);
      return work();
    });
    sendAnswer(reply, answer);
  }
}
