import { Table, int2, int4, int8 } from '../columns.js';

@Table(
  'submission_evidence_past',
  "Evidence that a later event replaced, where it was not simply UNCONFIRMED from the row's own position on.",
)
export class SubmissionEvidencePastEntity {
  @int4('The node whose row it is.', { key: true }) nodeKey: number;
  @int8('The row.', { key: true }) sequence: bigint;
  @int2('The evidence, as in submission.') evidence: number;
  @int8('Position of the event from which on it was known.', { key: true }) fromPosition: bigint;
  @int8('Position of the event that replaced it.') toPosition: bigint;
}
