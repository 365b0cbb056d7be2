import { fromJsonString, type Message } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { isNotFound, type ServiceClaim } from '../../domain/claims.js';
import { METHODS, type Call } from '../../node-service/messages.js';
import type { NodeQuestion } from './node-question.js';
import type { Provenance } from './node-answer.js';
import { SaidQuery } from './said.query.js';

/** The claim that answers each call. For metadata, only one key is recorded as a claim. */
const CLAIMS = {
  'StoreService/GetState': 'state',
  'StoreService/GetP2PStoreInfo': 'stores',
  'StoreService/GetGenesisDaHeight': 'genesis',
  'StoreService/GetMetadata': 'pruned',
  'ConfigService/GetSignerInfo': 'signer',
  'P2PService/GetPeerInfo': 'peers',
  'P2PService/GetNetInfo': 'net',
} as const satisfies Readonly<Partial<Record<Call, ServiceClaim>>>;

/** A call whose answers are recorded as claims. */
export type ClaimedCall = keyof typeof CLAIMS;

/** The last response of a node to a call, as a message of that call; null where the node answered `not_found`. */
export interface ClaimedMessage extends Provenance {
  readonly message: Message | null;
  readonly asOf: NonNullable<Provenance['asOf']>;
}

/** Reads the last responses of a node's services. */
@Injectable()
export class ServiceClaimQuery {
  constructor(private readonly said: SaidQuery) {}

  /** Undefined where the node had not answered by then, or the response is not a valid message. */
  async find({ node, at }: NodeQuestion, call: ClaimedCall): Promise<ClaimedMessage | undefined> {
    const claim = await this.said.findClaim(CLAIMS[call], node, at);
    if (!claim) return undefined;
    const asOf = claim.observedAt;
    const isLacking = isNotFound(JSON.parse(claim.text) as Readonly<Record<string, unknown>>);
    const message = isLacking ? null : readMessage(call, claim.text);
    return message === undefined ? undefined : { message, asOf, isProven: at === undefined || at === asOf };
  }
}

/** Parses a node's response to a call; undefined where it is not a valid message. */
export function readMessage(call: Call, text: string): Message | undefined {
  const method = METHODS.get(call);
  try {
    return method && fromJsonString(method.output, text, { ignoreUnknownFields: true });
  } catch {
    return undefined;
  }
}
