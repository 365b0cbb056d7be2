import type { TimeAxis } from '../../domain/time-axis.js';
import type { Micros } from '../../domain/time.js';
import { Table, bool, int8, json, text, timestamptz } from '../columns.js';

@Table('coverage_interval', "Times in which no row of a node's ring can have been missed.")
export class CoverageIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @timestamptz("The look at which it begins, observer's clock.") fromAt: Micros;
  @timestamptz(
    'The last good look whose list continued the one before without a hole; grows until a loss ends it.',
  )
  toAt: Micros;
  @bool('Whether the list could be read at the last look.') available: boolean;
  @text.orNull(
    'SEEN while the list was empty at the last look, INTERRUPTED once it could not be read since then; null while it holds rows.',
  )
  emptyList: 'SEEN' | 'INTERRUPTED' | null;
  @text.orNull('Type of the event that ended it; null while it goes on.') endedBy: string | null;
  @int8('The event that began it.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that ended it; null while it goes on.') toPosition: bigint | null;
  @json.orNull('TimeAxis of src/domain/time-axis.ts, on which the times lie; null before it was kept.')
  axis: TimeAxis | null;
}
