import type { LossKind } from '../../domain/submissions/loss-explanation.js';
import type { Micros } from '../../domain/time.js';
import { Table, int4, int8, text, timestamptz } from '../columns.js';
import { CHANGE_NUMBER } from './record-change.entity.js';

@Table('loss', 'Rows that were in a ring, or may have been, and were never seen.')
export class LossEntity {
  @int8('Position of the event that stated it: its identity.', { key: true }) lossPosition: bigint;
  @int4('The node whose ring it was.') nodeKey: number;
  @text('OVERFLOW, RESET, AMBIGUOUS or BEFORE_START.') kind: LossKind;
  @int8('The last recorded row before the hole; 0 for none.') afterSequence: bigint;
  @int8(
    'Proven. Blocks that are shown later may raise it, or lower it where they prove that another list posts.',
  )
  minLost: bigint;
  @int8.orNull('Proven, else null. A minimum above it is a contradiction, which the explanation states.')
  maxLost: bigint | null;
  @int8.orNull('Estimate from the rate around it.') likelyLost: bigint | null;
  @int8('RECONSTRUCTED groups that only this loss can hold, with a newest block of its time.', {
    default: '0',
  })
  shownLost: bigint;
  @timestamptz.orNull('The last look before the hole; null for BEFORE_START.') fromAt: Micros | null;
  @timestamptz('The look that found it.') toAt: Micros;
  @int8('Position of the event from which on this version was known.', { key: true }) fromPosition: bigint;
  @int8.orNull('Position from which on it was no longer; null: it still is.') toPosition: bigint | null;
  @int8('What the event that stated it proves by itself.', { default: '0' }) provenMin: bigint;
  @int8.orNull('The same of the most; null where it proves none.') provenMax: bigint | null;
  @int8('Number of the transaction that wrote the row last, see record_change.', { default: CHANGE_NUMBER })
  change: bigint;
  @int8(
    'UNDECIDED groups of headers of its time that only this loss, or rows of the list next to it, can be.',
    {
      default: '0',
    },
  )
  undecidedHeaders: bigint;
  @int8('The same of data.', { default: '0' }) undecidedData: bigint;
  @int8(
    'RECONSTRUCTED groups at the DA heights of this loss that were included before it began, or hold blocks from long after it ended: another list posted them.',
    { default: '0' },
  )
  postedElsewhere: bigint;
}
