import type { Message } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import type { ConnectService } from '../../node-api/connect-service.js';
import type { Call } from '../../node-service/messages.js';
import { LiveNodes } from './live-nodes.js';
import type { NodeQuestion } from './node-question.js';
import { readMessage } from './service-claim.query.js';

/** The longest request of any call that a node answers, in characters. */
const LONGEST_REQUEST = 256;

type RpcService = Parameters<ConnectService['call']>[0]['service'];

/** Sends small calls to nodes, for their current answers. */
@Injectable()
export class LiveCalls {
  constructor(private readonly live: LiveNodes) {}

  /**
   * The answer; `MISSING` where the node reports that it has no such thing. Undefined for a moment in the past, and where no
   * answer comes.
   * @param request the request message as JSON
   */
  async find(
    { node, at }: Pick<NodeQuestion, 'node' | 'at'>,
    call: Call,
    request: object = {},
  ): Promise<Message | 'MISSING' | undefined> {
    const json = JSON.stringify(request);
    if (at !== undefined || json.length > LONGEST_REQUEST) return undefined;
    const [service, method] = call.split('/') as [RpcService, string];
    const answer = await this.live.findDocument(node, { service, method, json }, 'IF_FREE');
    if (!answer?.ok) return answer?.missing ? 'MISSING' : undefined;
    return readMessage(call, answer.value.text);
  }
}
