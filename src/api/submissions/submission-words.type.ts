import { registerEnumType } from '@nestjs/graphql';
import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import { enumOf } from '../graphql/literal-enum.js';

export const SubmissionStatuses = enumOf(SUBMISSION_STATUSES);
export const SubmissionKinds = enumOf(SUBMISSION_KINDS);
export const SubmissionEvidences = enumOf(SUBMISSION_EVIDENCES);

registerEnumType(SubmissionStatuses, {
  name: 'SubmissionStatus',
  description: 'How an attempt ended, as the node reports.',
  valuesMap: {
    SUCCESS: { description: 'It was posted.' },
    NOT_FOUND: { description: 'The DA layer does not have what was asked for.' },
    NOT_INCLUDED_IN_BLOCK: { description: 'It was sent, but no block of the DA layer included it in time.' },
    ALREADY_IN_MEMPOOL: { description: 'The same transaction waited in the mempool already.' },
    TOO_BIG: { description: 'The batch, or a blob of it, is larger than the DA layer takes.' },
    CONTEXT_DEADLINE: { description: 'The DA node gave no answer in time.' },
    ERROR: { description: 'The DA layer refused: see `message` and `cause`.' },
    INCORRECT_ACCOUNT_SEQUENCE: {
      description: 'The sequence number of the DA account was not the one that the DA layer expected.',
    },
    CONTEXT_CANCELED: { description: 'The node gave the attempt up, as it does when it stops.' },
    HEIGHT_FROM_FUTURE: { description: 'The DA node was asked for a height that it had not reached.' },
    OTHER: { description: "The node sent a status that we don't know, or none: see `statusText`." },
  },
});

registerEnumType(SubmissionKinds, {
  name: 'SubmissionKind',
  description: 'Content of a batch, judged by the namespace it was posted to.',
  valuesMap: {
    HEADER: { description: 'Headers of blocks.' },
    DATA: { description: 'Transactions of blocks.' },
    MIXED: { description: 'Headers and data share a namespace, so the row does not show which it is.' },
    UNKNOWN: {
      description: 'The node has not reported its namespaces, or the row names another namespace or none.',
    },
  },
});

registerEnumType(SubmissionEvidences, {
  name: 'SubmissionEvidence',
  description: "Evidence of the chain's blocks about an attempt.",
  valuesMap: {
    OBSERVED: { description: 'A failure, or a success that cannot be decided.' },
    CONFIRMED: { description: 'It succeeded, and the blocks agree.' },
    UNCONFIRMED: { description: 'A success that no block shows yet.' },
    UNREFERENCED: {
      description: 'A success that the frontier has passed and no block points to: paid for nothing.',
    },
    RECONSTRUCTED: { description: 'Blocks prove it, but no list showed it. It has no node.' },
    UNDECIDED: {
      description:
        'Blocks prove its blobs, and `possibleAttempts` failed attempts may have posted them, but no attempt certainly did. It has no node.',
    },
  },
});
