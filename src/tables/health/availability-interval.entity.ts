import type { SourceState } from '../../domain/events.js';
import type { TimeAxis } from '../../domain/time-axis.js';
import type { Micros } from '../../domain/time.js';
import { Table, int8, json, text, timestamptz } from '../columns.js';

@Table(
  'availability_interval',
  'What the list of submissions was when it was looked at, in all versions that were known of it.',
)
export class AvailabilityIntervalEntity {
  @text('Id of the node.', { key: true }) node: string;
  @timestamptz("The look that found it so, observer's clock.", { key: true }) fromAt: Micros;
  @timestamptz.orNull('The look that found it otherwise; null for the present state.') toAt: Micros | null;
  @text('AVAILABLE, DISABLED, NOT_AGGREGATOR, NOT_SUPPORTED, INVALID or UNREACHABLE.') state: SourceState;
  @text('What the node, or the connection, said.') detail: string;
  @int8('The event that made this version known.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that replaced this version; null for the one that stands.')
  toPosition: bigint | null;
  @json.orNull('TimeAxis of src/domain/time-axis.ts, on which the times lie; null: as the clock told them.')
  axis: TimeAxis | null;
}
