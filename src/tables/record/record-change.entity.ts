import type { Micros } from '../../domain/time.js';
import { Table, int8, timestamptz } from '../columns.js';

/** The number of the transaction, once a row has used it; a trigger assigns it to the transaction's first row. */
export const CHANGE_NUMBER = "(NULLIF(current_setting('hindsight.change'::text, true), ''::text))::bigint";

@Table(
  'record_change',
  'When each change number of the record was given out: one row for a transaction that wrote a submission, block or loss; of more than five weeks ago the last one of each hour.',
)
export class RecordChangeEntity {
  @int8('The number. Later transactions have larger ones, also those after a rebuild.', { key: true })
  change: bigint;
  @timestamptz(
    "The database's clock, and never before the number before; of what a rebuild wrote, the time of its swap.",
  )
  at: Micros;
}
