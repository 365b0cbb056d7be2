import type { SubmissionStatus } from './submission-row.js';

/** Why an attempt failed, as far as its status and message tell, and what helps. */
export interface FailureCause {
  readonly code: FailureCode;
  /** One line for a person. */
  readonly title: string;
  readonly remedy: string;
}

type FailedStatus = Exclude<SubmissionStatus, 'SUCCESS'>;

/** Every cause. A code is never used again for something else: people filter by them. */
const CAUSES = {
  DA_UNREACHABLE: {
    title: 'The DA endpoint cannot be reached.',
    remedy:
      'Check that the address in node.da.address answers, that the authentication token is valid, and that the DA node is fully synced.',
  },
  DA_CONNECTION_LOST: {
    title: 'The connection to the DA node broke.',
    remedy:
      'Look whether the DA node was restarted, is overloaded or is behind a proxy that closes idle connections. The blobs may have landed all the same: see the evidence of this row and of the next attempt.',
  },
  DA_UNAUTHORIZED: {
    title: 'The DA node refuses the authentication token.',
    remedy: 'Make a new token on the DA node, with the right to submit, and give it to the node.',
  },
  OUT_OF_FUNDS: {
    title: 'The DA account is out of funds, or its transactions are stuck.',
    remedy: 'Fund the DA account; where it has funds, raise the gas price with node.da.gas_price.',
  },
  FEE_TOO_LOW: {
    title: 'The DA layer asks for a higher fee than was offered.',
    remedy: 'Raise the gas price with node.da.gas_price, or leave it to the DA node.',
  },
  NOT_INCLUDED: {
    title: 'The transaction was sent and was not seen in a block in time.',
    remedy:
      'The node tries again by itself. Where it happens often, raise node.da.gas_price, or node.da.request_timeout. The first transaction may land later, and both be paid: see the evidence of this row.',
  },
  IN_MEMPOOL_ALREADY: {
    title: 'The same transaction waits in the mempool of the DA layer already.',
    remedy:
      'Nothing, if it lands: the node goes on by itself. Where it stays for minutes, the gas price is too low for it to be taken.',
  },
  SEQUENCE_MISMATCH: {
    title: 'The sequence number of the DA account is not the one that the DA layer expects.',
    remedy:
      'Look whether something else sends from the same DA account, and give each node one of its own. After a dropped transaction it passes by itself; else restart the DA node.',
  },
  TOO_BIG: {
    title: 'The batch, or one blob of it, is larger than the DA layer takes.',
    remedy:
      'The node makes smaller batches by itself. A single blob over the limit can never be posted, and stops it: lower the size of blocks.',
  },
  TIMED_OUT: {
    title: 'The DA node gave no answer in time.',
    remedy:
      'Raise node.da.request_timeout, and look how busy the DA node is. The blobs may have landed all the same: see the evidence of this row.',
  },
  CANCELED: {
    title: 'The node gave the attempt up, as it does when it stops or loses its leadership.',
    remedy: 'Nothing, if the node was stopped on purpose; the next start tries the batch again.',
  },
  DA_BEHIND: {
    title: 'The DA node was asked for a height that it has not reached.',
    remedy:
      'Wait until the DA node is synced; if it is, compare its clock and its network with those of the node.',
  },
  NOT_FOUND: {
    title: 'The DA layer does not have what was asked for.',
    remedy:
      'Check that the DA node is on the right network and has not pruned that height, and that the namespaces are those of the chain.',
  },
  BAD_NAMESPACE: {
    title: 'The namespace or the options of the submission are not valid.',
    remedy:
      "Correct the namespace and the submit options in the node's configuration: nothing can be posted until then.",
  },
  DA_ERROR: {
    title: 'The DA layer refused, for a reason that is not known here.',
    remedy: 'Read the message; more stands in the log of the node and of the DA node at that time.',
  },
  NODE_PANIC: {
    title: 'The node or the DA node failed within itself.',
    remedy: 'Its log at that time says more; such a failure belongs into an issue of its project.',
  },
  UNKNOWN: {
    title: 'The node gave no reason, or one that is not known here.',
    remedy: 'See statusText, message and raw for all that it said; its log at that time may say more.',
  },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly remedy: string }>>;

export type FailureCode = keyof typeof CAUSES;
export const FAILURE_CODES = Object.keys(CAUSES) as readonly FailureCode[];

/** Explains a code to a person in one line. */
export function titleOfCause(code: FailureCode): string {
  return CAUSES[code].title;
}

/** What a message says is nearer to the cause than the status, which nodes share out coarsely. The first one that fits. */
const MESSAGES: readonly (readonly [RegExp, FailureCode])[] = [
  [
    /insufficient fee|fee too low|required fee|gas price too low|min(imum)?[- _]gas[- _]price/i,
    'FEE_TOO_LOW',
  ],
  // Code 19 of the codespace `sdk` as the specification has it; Code 5 is that of too few funds.
  [/codespace sdk,? code:? ?(19|5)\b|insufficient (funds|balance)|out of funds/i, 'OUT_OF_FUNDS'],
  [/account sequence|sequence mismatch|incorrect (account )?sequence|nonce too/i, 'SEQUENCE_MISMATCH'],
  [/already (exists )?in (the )?mempool|tx already (exists|in)/i, 'IN_MEMPOOL_ALREADY'],
  [/over size limit|too (big|large)|exceeds? (the )?(max|size|limit)/i, 'TOO_BIG'],
  [/not included in (a )?block|timed out waiting for tx/i, 'NOT_INCLUDED'],
  [
    /unauthori[sz]ed|forbidden|permission denied|missing permission|invalid token|\b40[13]\b/i,
    'DA_UNAUTHORIZED',
  ],
  [/namespace|invalid (submit )?options|unmarshal.*options/i, 'BAD_NAMESPACE'],
  [/height.*(from|in) the future|from future/i, 'DA_BEHIND'],
  [
    /connection refused|no such host|no route to host|network is unreachable|dial tcp|cannot assign/i,
    'DA_UNREACHABLE',
  ],
  [/panic|nil pointer|runtime error/i, 'NODE_PANIC'],
  [/deadline|time[d ]?[- ]?out/i, 'TIMED_OUT'],
  [/context cancell?ed|shutting down/i, 'CANCELED'],
  [
    /websocket|connection (closed|reset|lost)|broken pipe|\beof\b|unavailable|bad gateway|\b50[234]\b/i,
    'DA_CONNECTION_LOST',
  ],
  [/not found/i, 'NOT_FOUND'],
];

/** What a status says by itself. */
const STATUSES: Readonly<Record<FailedStatus, FailureCode>> = {
  NOT_FOUND: 'NOT_FOUND',
  NOT_INCLUDED_IN_BLOCK: 'NOT_INCLUDED',
  ALREADY_IN_MEMPOOL: 'IN_MEMPOOL_ALREADY',
  TOO_BIG: 'TOO_BIG',
  CONTEXT_DEADLINE: 'TIMED_OUT',
  ERROR: 'DA_ERROR',
  INCORRECT_ACCOUNT_SEQUENCE: 'SEQUENCE_MISMATCH',
  CONTEXT_CANCELED: 'CANCELED',
  HEIGHT_FROM_FUTURE: 'DA_BEHIND',
  OTHER: 'UNKNOWN',
};

/** Statuses that name their cause; of the others the message may know better. */
const COARSE: ReadonlySet<SubmissionStatus> = new Set(['ERROR', 'OTHER', 'NOT_FOUND']);

/**
 * The cause of a failure; null for a success.
 * @param message as the node sent it, or its start
 */
export function findCause(status: SubmissionStatus, message: string | null): FailureCause | null {
  if (status === 'SUCCESS') return null;
  const match =
    COARSE.has(status) && message !== null ? MESSAGES.find(([words]) => words.test(message)) : undefined;
  const code = match?.[1] ?? (status === 'ERROR' && message === null ? 'UNKNOWN' : STATUSES[status]);
  return { code, ...CAUSES[code] };
}
