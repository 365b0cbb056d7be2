import type { Micros } from '../domain/time.js';
import { Table, int4, int8, jsonb, text, timestamptz } from './columns.js';

@Table('projection_checkpoint', 'How far each projection has read the log.')
export class ProjectionCheckpointEntity {
  @text('The projection.', { key: true }) name: string;
  @int8('Position of the last event that is in its tables.') position: bigint;
  @int4('Version of the rules by which its tables were made. A process with other rules may not write them.')
  version: number;
  @timestamptz("When it moved on last, the database's clock.", { default: 'clock_timestamp()' })
  movedAt: Micros;
  @jsonb('Ids of the nodes that operators have excluded: events of these nodes are not in its tables.', {
    default: "'[]'::jsonb",
  })
  excluded: unknown;
}

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

@Table('rebuild_failure', 'Sets of read models that the service wants to rebuild and cannot.')
export class RebuildFailureEntity {
  @text('Name of the set.', { key: true }) name: string;
  @text('What the last try failed of, and what to do about it.') error: string;
  @timestamptz("The first try that failed, the database's clock.", { default: 'clock_timestamp()' })
  since: Micros;
  @timestamptz("The last one, the database's clock.", { default: 'clock_timestamp()' }) triedAt: Micros;
}
