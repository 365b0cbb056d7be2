import { ArgsType, Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf, PagingArgs } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { dateTime, id, json, text } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

/** Cost of a claim's body, which has a few hundred characters. */
const LONG = 150;

export const ClaimKind = enumOf([
  'HEALTH',
  'STATS',
  'STATE',
  'STORES',
  'GENESIS',
  'SIGNER',
  'PEERS',
  'NET',
  'PRUNED',
]);
export type ClaimKind = keyof typeof ClaimKind;

registerEnumType(ClaimKind, {
  name: 'ClaimKind',
  description: 'Which answer of a node a claim is.',
  valuesMap: {
    HEALTH: { description: 'Its `/da/health`.' },
    STATS: { description: 'Its `/da/stats`.' },
    STATE: { description: 'Its `GetState`; this and those below are asked for every five minutes.' },
    STORES: { description: 'Its `GetP2PStoreInfo`.' },
    GENESIS: { description: 'Its `GetGenesisDaHeight`.' },
    SIGNER: { description: 'Its `GetSignerInfo`.' },
    PEERS: { description: 'Its `GetPeerInfo`.' },
    NET: { description: 'Its `GetNetInfo`.' },
    PRUNED: { description: 'Its `GetMetadata` of `lst-prnd-b`, the last block that it has pruned.' },
  },
});

@ArgsType()
export class ClaimArgs extends PagingArgs {
  @id('Id of the node.') node: string;
  @Field(() => ClaimKind, { description: 'Which of its answers.' }) kind: ClaimKind;
  @dateTime.orNull('Of `observedAt`; inclusive.') from?: Nanos | null;
  @dateTime.orNull('Of `observedAt`; exclusive.') to?: Nanos | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'What a node said of itself, as it said it, and apart from what we conclude. It is recorded when it changes, so it holds until the next one.',
})
export class Claim {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @dateTime('`observedAt`, under the name that charts look for.') readonly time: Nanos;
  @dateTime('The look that found it, by our clock; UTC.') readonly observedAt: Nanos;
  @Field(() => ClaimKind, { description: 'Which answer it is.' }) readonly kind: ClaimKind;
  @text.orNull('Its `status`, as sent; null for all but `HEALTH`, and where it names none.')
  readonly status: string | null;
  @json('The answer as sent.', { complexity: LONG }) readonly body: unknown;
}

export const ClaimConnection = connectionOf(Claim);
