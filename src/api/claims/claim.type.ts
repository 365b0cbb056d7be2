import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf, PagingArgs } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { dateTime, field, id, json, text } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

/** Cost of a claim's body, which has a few hundred characters. */
const LONG = 150;

export const ClaimKind = enumOf('ClaimKind', 'The kind of answer that a claim records.', {
  HEALTH: 'The answer of `/da/health`.',
  STATS: 'The answer of `/da/stats`.',
  STATE: 'The answer to `GetState`, polled every five minutes.',
  STORES: 'The answer to `GetP2PStoreInfo`, polled every five minutes.',
  GENESIS: 'The answer to `GetGenesisDaHeight`, polled every five minutes.',
  SIGNER: 'The answer to `GetSignerInfo`, polled every five minutes.',
  PEERS: 'The answer to `GetPeerInfo`, polled every five minutes.',
  NET: 'The answer to `GetNetInfo`, polled every five minutes.',
  PRUNED:
    'The answer to `GetMetadata` of `lst-prnd-b`, the last block that the node has pruned; polled every five minutes.',
});
export type ClaimKind = keyof typeof ClaimKind;

@ArgsType()
export class ClaimArgs extends PagingArgs {
  @id('Id of the node.') node: string;
  @field(() => ClaimKind, 'Kind of the answer.') kind: ClaimKind;
  @dateTime.orNull('Start of the range of `observedAt`; inclusive.') from?: Nanos | null;
  @dateTime.orNull('End of the range of `observedAt`; exclusive.') to?: Nanos | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    "A node's own statement about itself, as sent, and separate from our conclusions. A claim is recorded when it changes, so it holds until the next claim.",
})
export class Claim {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @dateTime('Same as `observedAt`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('Time of the poll that found the claim, by our clock; UTC.') readonly observedAt: Nanos;
  @field(() => ClaimKind, 'Kind of the answer.') readonly kind: ClaimKind;
  @text.orNull(
    'The `status` in the answer, as sent; null if the kind is not `HEALTH`, or if the answer has no status.',
  )
  readonly status: string | null;
  @json('The answer as sent.', { complexity: LONG }) readonly body: unknown;
}

export const ClaimConnection = connectionOf(Claim);
