import type { Micros } from '../../domain/time.js';
import { Table, int4, timestamptz } from '../columns.js';

@Table('submission_run', 'Batches that have failed and not succeeded yet.')
export class SubmissionRunEntity {
  @int4('The node that tries it.', { key: true }) nodeKey: number;
  @int4('0 where the rows name no namespace.', { key: true }) namespaceKey: number;
  @timestamptz('time_at of the first failed attempt.') firstAttemptAt: Micros;
}
