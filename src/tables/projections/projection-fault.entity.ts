import type { Micros } from '../../domain/time.js';
import { Table, int4, int8, text, timestamptz } from '../columns.js';

@Table(
  'projection_fault',
  'Events that a projection could not take because of what is in them, and went on without.',
)
export class ProjectionFaultEntity {
  @text('Name of the projection.', { key: true }) projection: string;
  @int8('Position of the event.', { key: true }) position: bigint;
  @int4("Version of the projection's rules that failed at it.") version: number;
  @text('Stream of the event. A stream with ten faults is set aside whole.') stream: string;
  @text('Type of the event.') type: string;
  @text('What the projection said of it.') error: string;
  @timestamptz("When it was set aside, the database's clock.", { default: 'clock_timestamp()' })
  since: Micros;
}
