import type { Micros } from '../../domain/time.js';
import { Table, int4, text, timestamptz } from '../columns.js';

@Table(
  'roll_up_mark',
  'Quarter hours of UTC that must be computed again. Append-only: an upsert would lose a mark or block the projection.',
)
export class RollUpMarkEntity {
  @int4("The node, or 0 for the chain's own figures.", { key: true }) nodeKey: number;
  @text('The chain where node_key is 0, else empty.', { key: true }) chain: string;
  @timestamptz('When the quarter hour begins.', { key: true }) quarterAt: Micros;
  @timestamptz('When it was written, so that marks that nobody works off are noticed.', {
    default: 'clock_timestamp()',
  })
  markedAt: Micros;
}
