import type { StretchKind } from '../../domain/submissions/list-coverage.js';
import type { Micros } from '../../domain/time.js';
import { Table, bool, int4, int8, text, timestamptz } from '../columns.js';

@Table(
  'coverage_interval',
  "Stretches of the lists behind a node's address: a time that is proven, and the time behind it of which nothing is.",
)
export class CoverageIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @int4('Counts the stretches of the node, from 0.', { key: true }) number: number;
  @text(
    'LIST, HOLE (an event states it), NOT_AGGREGATOR (the node said so: nothing to cover) or UNSEEN (no list was ever seen).',
  )
  kind: StretchKind;
  @int4.orNull("The list's number behind the address; null for what is no list.") list: number | null;
  @text('Lists of several nodes that bear the same one are one list: a row with a time stood in both.')
  ring: string;
  @timestamptz("The look at which it begins, observer's clock.") fromAt: Micros;
  @timestamptz('The last look up to which it is proven that no row of the list was missed.') toAt: Micros;
  @timestamptz.orNull('The look that ends what is not proven behind it; null while nothing has.')
  untilAt: Micros | null;
  @bool('Whether rows may be missing behind it and no event says so: the list is out of sight.')
  unstated: boolean;
  @int8('The last row that was recorded of the list; 0 for none.') afterSequence: bigint;
}
