import { Table, bool, int2, int4, int8, text } from '../columns.js';

@Table(
  'submission_evidence_past',
  'What was decided of a submission before a later event decided otherwise. Not here: that it was UNCONFIRMED from its own event on, and nothing else has changed.',
)
export class SubmissionEvidencePastEntity {
  @int4('The node whose row it is.', { key: true }) nodeKey: number;
  @int8('The row.', { key: true }) sequence: bigint;
  @int2('The evidence, as in submission.') evidence: number;
  @int8('Position of the event from which on it was known.', { key: true }) fromPosition: bigint;
  @int8('Position of the event that replaced it.') toPosition: bigint;
  @int4.orNull('As in submission.') lineageKey: number | null;
  @text.orNull('As in submission.') chainId: string | null;
  @int2('As in submission.') kind: number;
  @int8.orNull('As in submission.') daHeight: bigint | null;
  @int8.orNull('As in submission.') blockFrom: bigint | null;
  @int8.orNull('As in submission.') blockTo: bigint | null;
  @int4.orNull('As in submission.') shares: number | null;
  @int4.orNull('As in submission.') signedShares: number | null;
  @bool('As in submission.', { default: 'true' }) countsForChain: boolean;
}
