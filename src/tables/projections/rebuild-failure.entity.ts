import type { Micros } from '../../domain/time.js';
import { Table, text, timestamptz } from '../columns.js';

@Table('rebuild_failure', 'Sets of read models that the service wants to rebuild and cannot.')
export class RebuildFailureEntity {
  @text('Name of the set.', { key: true }) name: string;
  @text('What the last try failed of, and what to do about it.') error: string;
  @timestamptz("The first try that failed, the database's clock.", { default: 'clock_timestamp()' })
  since: Micros;
  @timestamptz("The last one, the database's clock.", { default: 'clock_timestamp()' }) triedAt: Micros;
}
