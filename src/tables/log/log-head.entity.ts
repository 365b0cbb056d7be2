import type { Micros } from '../../domain/time.js';
import { Table, bool, int8, timestamptz } from '../columns.js';

@Table(
  'log_head',
  'The end of the log. Its row lock, held from numbering to commit, makes position order commit order.',
)
export class LogHeadEntity {
  @bool('There is one row.', { key: true, default: 'true' }) onlyRow: boolean;
  @int8('Position of the last event; 0 before the first.') position: bigint;
  @timestamptz('recorded_at of the last event.') recordedAt: Micros;
}
