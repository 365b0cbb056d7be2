import type { SubmissionEvidence, SubmissionStatus } from '../data/answers.gen.js';
import { inWords } from '../data/words.js';
import { StateBadge } from './state-badge.js';

export const EVIDENCE_WORDS: Readonly<Record<SubmissionEvidence, string>> = {
  OBSERVED: 'Recorded as the node showed it; blocks neither prove nor contradict it.',
  CONFIRMED: 'Succeeded, and the blocks agree.',
  UNCONFIRMED: 'Succeeded; no block shows it yet.',
  UNREFERENCED: 'Succeeded, but no block refers to it: the fee was wasted.',
  RECONSTRUCTED: 'Proven by blocks; no list showed it.',
  UNDECIDED: 'Blocks prove the blobs. Failed attempts may have posted them; which attempt is unknown.',
};

export function StatusBadge(given: {
  readonly status: SubmissionStatus;
  readonly title?: string | undefined;
}) {
  const { status, title } = given;
  return (
    <StateBadge name={inWords(status)} title={title} state={status === 'SUCCESS' ? 'HEALTHY' : 'CRITICAL'} />
  );
}
