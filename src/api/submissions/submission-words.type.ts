import type {
  SubmissionEvidence,
  SubmissionKind,
  SubmissionStatus,
} from '../../domain/submissions/submission-codes.js';
import { enumOf } from '../graphql/literal-enum.js';

export const SubmissionStatuses = enumOf<SubmissionStatus>(
  'SubmissionStatus',
  'How an attempt ended, as the node reports.',
  {
    SUCCESS: 'It was posted.',
    NOT_FOUND: 'The DA layer does not have what was asked for.',
    NOT_INCLUDED_IN_BLOCK: 'It was sent, but no block of the DA layer included it in time.',
    ALREADY_IN_MEMPOOL: 'The same transaction waited in the mempool already.',
    TOO_BIG: 'The batch, or a blob of it, is larger than the DA layer takes.',
    CONTEXT_DEADLINE: 'The DA node gave no answer in time.',
    ERROR: 'The DA layer refused: see `message` and `cause`.',
    INCORRECT_ACCOUNT_SEQUENCE:
      'The sequence number of the DA account was not the one that the DA layer expected.',
    CONTEXT_CANCELED: 'The node gave the attempt up, as it does when it stops.',
    HEIGHT_FROM_FUTURE: 'The DA node was asked for a height that it had not reached.',
    OTHER: "The node sent a status that we don't know, or none: see `statusText`.",
  },
);

export const SubmissionKinds = enumOf<SubmissionKind>(
  'SubmissionKind',
  'Content of a batch, judged by the namespace it was posted to.',
  {
    HEADER: 'Headers of blocks.',
    DATA: 'Transactions of blocks.',
    MIXED: 'Headers and data share a namespace, so the row does not show which it is.',
    UNKNOWN: 'The node has not reported its namespaces, or the row names another namespace or none.',
  },
);

export const SubmissionEvidences = enumOf<SubmissionEvidence>(
  'SubmissionEvidence',
  "Evidence of the chain's blocks about an attempt.",
  {
    OBSERVED: 'A failure, or a success that cannot be decided.',
    CONFIRMED: 'It succeeded, and the blocks agree.',
    UNCONFIRMED: 'A success that no block shows yet.',
    UNREFERENCED: 'A success that the frontier has passed and no block points to: paid for nothing.',
    RECONSTRUCTED: 'Blocks prove it, but no list showed it. It has no node.',
    UNDECIDED:
      'Blocks prove its blobs, and `possibleAttempts` failed attempts may have posted them, but no attempt certainly did. It has no node.',
  },
);
