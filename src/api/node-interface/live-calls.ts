import type { Message } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import type { ConnectService } from '../../node-api/connect-service.js';
import type { Call } from '../../node-service/messages.js';
import { LiveNodes } from './live-nodes.js';
import type { NodeQuestion } from './node-question.js';
import { readMessage } from './service-claim.query.js';

/** Longer requests are of no call that a node answers. */
const LONGEST_REQUEST = 256;

type Service = Parameters<ConnectService['call']>[0]['service'];

/** Asks a node for the answer of a small call as it is now. */
@Injectable()
export class LiveCalls {
  constructor(private readonly live: LiveNodes) {}

  /**
   * The answer; `MISSING` where the node says that it has no such thing. Undefined of a past, and where no answer comes.
   * @param request the message of the request, as JSON
   */
  async find(
    { node, at }: Pick<NodeQuestion, 'node' | 'at'>,
    call: Call,
    request: object = {},
  ): Promise<Message | 'MISSING' | undefined> {
    const json = JSON.stringify(request);
    if (at !== undefined || json.length > LONGEST_REQUEST) return undefined;
    const [service, method] = call.split('/') as [Service, string];
    const answer = await this.live.findDocument(node, { service, method, json }, 'IF_FREE');
    if (!answer?.ok) return answer?.missing ? 'MISSING' : undefined;
    return readMessage(call, answer.value.text);
  }
}
