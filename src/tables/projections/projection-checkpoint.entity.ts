import type { Micros } from '../../domain/time.js';
import { Table, int4, int8, text, timestamptz } from '../columns.js';

@Table('projection_checkpoint', 'How far each projection has read the log.')
export class ProjectionCheckpointEntity {
  @text('The projection.', { key: true }) name: string;
  @int8('Position of the last event that is in its tables.') position: bigint;
  @int4('Version of the rules by which its tables were made. A process with other rules may not write them.')
  version: number;
  @timestamptz("When it moved on last, the database's clock.", { default: 'clock_timestamp()' })
  movedAt: Micros;
}
