import type { Micros } from '../../domain/time.js';
import { Table, int2, int4, int8, text, timestamptz } from '../columns.js';

/**
 * What is to be done of each row of a node, by sequence, or of each DA height of a lineage:
 * - `CHAIN`: rows without a lineage belong to another chain than before;
 * - `KINDS`: rows of unknown kind get the one that the node's namespaces tell;
 * - `JOINING`: rows without a lineage get the one that the node shows;
 * - `LEAVING`: DA heights whose open successes follow the node to the lineage that it shows;
 * - `WALKED`: a walk has gone on over DA heights where something waits for blocks;
 * - `UNDECIDED`: DA heights that were left undecided until the node's next success;
 * - `LOSS`: DA heights at which a hole began or ended, so that another loss may hold what was reconstructed, or none;
 * - `LATE`: DA heights at which what was reconstructed may be a row that the event recorded;
 * - `READY`: DA heights that are decided, since all lists have been looked at.
 */
export type RecordMarkKind =
  'CHAIN' | 'KINDS' | 'JOINING' | 'LEAVING' | 'WALKED' | 'UNDECIDED' | 'LOSS' | 'LATE' | 'READY';

@Table(
  'record_mark',
  'What events left to be done in pages before the next event is applied; empty but after an event that touches very much.',
)
export class RecordMarkEntity {
  @int4('Marks are worked off in this order.', { key: true }) markKey: number;
  @text(
    'CHAIN, KINDS, JOINING, LEAVING, WALKED, UNDECIDED, LOSS, LATE or READY: see src/tables/record/record-mark.entity.ts.',
  )
  what: RecordMarkKind;
  @int8('The event that left it: all decisions are made as of it.') position: bigint;
  @timestamptz("The time of the event, observer's clock.") at: Micros;
  @int4('The node of the event.') nodeKey: number;
  @int4.orNull('The history whose DA heights they are; null where rows of the node are meant.')
  lineageKey: number | null;
  @text.orNull('Of CHAIN: the chain that the node was of before; null for none.') chainId: string | null;
  @int8('The lowest sequence, or DA height, that is left.') nextNumber: bigint;
  @int8.orNull('DA heights from this one on are not meant; null: all are.') below: bigint | null;
  @int8('Rows, or DA heights, that are done.') done: bigint;
  @int2('Rows, or DA heights, that could not be done because of what is in them, and were left as they are.')
  setAside: number;
}
