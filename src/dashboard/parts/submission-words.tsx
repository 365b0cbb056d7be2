import type { SubmissionEvidence, SubmissionStatus } from '../data/answers.gen.js';
import { inWords } from '../data/words.js';
import { StateBadge } from './state-badge.js';

/** The meaning of a submission's evidence, in a sentence. */
export const EVIDENCE_WORDS: Readonly<Record<SubmissionEvidence, string>> = {
  OBSERVED: 'It is recorded as its node showed it: blocks neither prove nor contradict it.',
  CONFIRMED: 'It succeeded, and the blocks agree.',
  UNCONFIRMED: 'It succeeded, but no block shows it yet.',
  UNREFERENCED: 'It succeeded, but no block points to it: its fee was wasted.',
  RECONSTRUCTED: 'Blocks prove it, but no list showed it.',
  UNDECIDED: 'Blocks prove its blobs. Failed attempts may have posted them, but no attempt did for certain.',
};

export function StatusBadge({ status }: { readonly status: SubmissionStatus }) {
  return <StateBadge name={inWords(status)} state={status === 'SUCCESS' ? 'HEALTHY' : 'CRITICAL'} bare />;
}
