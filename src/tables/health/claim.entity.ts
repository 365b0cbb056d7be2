import type { Micros } from '../../domain/time.js';
import type { ServiceClaim } from '../../domain/claims.js';
import { Table, int8, json, text, timestamptz } from '../columns.js';

@Table('claim', 'What a node said of itself, as it said it.')
export class ClaimEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text(
    'health: /da/health; stats: /da/stats; state, stores, genesis, signer, peers, net, pruned: answers of its services.',
    { key: true },
  )
  kind: 'health' | 'stats' | ServiceClaim;
  @timestamptz("The look that found it, observer's clock.") observedAt: Micros;
  @text.orNull('Its status as sent; null for all but health, and where it names none.') status: string | null;
  @json('The answer as sent.') body: unknown;
  @int8('The event that made it known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event with the next claim of its kind; null for the present one.')
  toPosition: bigint | null;
}
