import type { SubmissionEvidence, SubmissionStatus } from '../data/answers.gen.js';
import { inWords } from '../data/words.js';
import { StateBadge } from './state-badge.js';

/** The meaning of a submission's evidence, in a sentence. */
export const EVIDENCE_WORDS: Readonly<Record<SubmissionEvidence, string>> = {
  OBSERVED: 'It stands as its node showed it: the blocks decide nothing of it.',
  CONFIRMED: 'It succeeded, and the blocks agree.',
  UNCONFIRMED: 'It succeeded, and no block shows it yet.',
  UNREFERENCED: 'It succeeded, and no block points to it: it was paid for nothing.',
  RECONSTRUCTED: 'Blocks prove it, and no list showed it.',
  UNDECIDED: 'Blocks prove its blobs. Failed attempts may have posted them, none for certain.',
};

export function StatusBadge({ status }: { readonly status: SubmissionStatus }) {
  return <StateBadge name={inWords(status)} state={status === 'SUCCESS' ? 'HEALTHY' : 'CRITICAL'} bare />;
}
