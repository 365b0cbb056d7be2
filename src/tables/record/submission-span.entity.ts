import type { Micros } from '../../domain/time.js';
import { Table, int4, int8, timestamptz } from '../columns.js';

@Table(
  'submission_span',
  'Of each 4,096 places of a list of submissions: when and where its rows lie at most.',
)
export class SubmissionSpanEntity {
  @int4('The node whose list it is; 0: that of all.', { key: true }) nodeKey: number;
  @int8('The sequence of its rows divided by 4,096; in the list of all, their from_position.', { key: true })
  span: bigint;
  @timestamptz('No row of it has an earlier time_at.') firstTime: Micros;
  @timestamptz('No row of it has a later time_at.') lastTime: Micros;
  @int8('No row of it has a lower from_position.') firstPosition: bigint;
  @int8.orNull('No row of it has a lower da_height; null where none has one.') firstDaHeight: bigint | null;
  @int8.orNull('No row of it has a higher da_height; null where none has one.') lastDaHeight: bigint | null;
}
