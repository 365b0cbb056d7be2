import { codeOfMessage } from './failure-messages.js';
import type { SubmissionStatus } from './submission-codes.js';

/** Why an attempt failed, as far as its status and message show, and what helps. */
export interface FailureDiagnosis {
  readonly code: FailureCode;
  /** One line for a person. */
  readonly title: string;
  readonly remedy: string;
}

export type FailedStatus = Exclude<SubmissionStatus, 'SUCCESS'>;

/** Where a node's gas price is set: in the submit options, or in the option of older nodes. */
export const GAS_PRICE = 'gas_price in --evnode.da.submit_options (older nodes: --node.da.gas_price)';

/** All causes. Never reuse a code for another cause: people filter by codes. */
const CAUSES = {
  DA_UNREACHABLE: {
    title: 'The DA endpoint cannot be reached.',
    remedy:
      'Check that the address in --evnode.da.address answers, that the authentication token is valid, and that the DA node is fully synced.',
  },
  CORE_UNREACHABLE: {
    title: 'The DA node cannot use the consensus node behind it.',
    remedy:
      'Check that the consensus node in --core.ip of the DA node runs, and that the DA node reaches its gRPC port (9090).',
  },
  DA_CONNECTION_LOST: {
    title: 'The connection to the DA node broke.',
    remedy:
      'Check whether the DA node was restarted, is overloaded or is behind a proxy that closes idle connections. The blobs may have landed all the same: see the evidence of this row and of the next attempt.',
  },
  DA_UNAUTHORIZED: {
    title: 'The DA node refuses the authentication token.',
    remedy: 'Make a new token with write permission on the DA node, and set it in --evnode.da.auth_token.',
  },
  DA_BUSY: {
    title: 'The DA node gets too many requests.',
    remedy: 'Find out who else sends requests to the DA node, or raise its --rpc.rate-limit.',
  },
  OUT_OF_FUNDS: {
    title: 'The DA account is out of funds.',
    remedy: `Fund the DA account. If transactions stay stuck after that, raise ${GAS_PRICE}.`,
  },
  ACCOUNT_NOT_FOUND: {
    title: 'The DA node does not find its account on the DA layer.',
    remedy:
      'Fund the DA account: one that never received anything does not exist. If it has funds, check that the DA node reaches its consensus node.',
  },
  FEE_TOO_LOW: {
    title: 'The DA layer asks for a higher fee than was offered.',
    remedy: `Raise ${GAS_PRICE}, or remove it so that the DA node estimates the price. If max_gas_price is set there, raise it too.`,
  },
  FEE_GRANT_REFUSED: {
    title: 'The fee granter does not pay for the DA account.',
    remedy:
      'Renew the fee grant or raise its limit, or remove fee_granter_address from --evnode.da.submit_options.',
  },
  OUT_OF_GAS: {
    title: 'The gas limit of the transaction is too low.',
    remedy: 'Raise gas in --evnode.da.submit_options, or remove it so that the DA node estimates it.',
  },
  NOT_INCLUDED: {
    title: 'The transaction was sent and was not seen in a block in time.',
    remedy: `The node tries again by itself. If it happens often, raise ${GAS_PRICE}. The first transaction may land later, and both be paid: see the evidence of this row.`,
  },
  IN_MEMPOOL_ALREADY: {
    title: 'The same transaction is already in the mempool of the DA layer.',
    remedy: `Wait a minute: usually it lands. If it stays stuck, check the balance. Fund the DA account if it is empty, else raise ${GAS_PRICE}.`,
  },
  MEMPOOL_FULL: {
    title: 'The mempool of the DA layer is full.',
    remedy: `The node tries again by itself. If it lasts, raise ${GAS_PRICE}: transactions that pay more go first.`,
  },
  SEQUENCE_MISMATCH: {
    title: 'The sequence number of the DA account is not the one that the DA layer expects.',
    remedy:
      'Check whether something else sends from the same DA account, and give each node its own. After a dropped transaction it passes by itself; otherwise restart the DA node.',
  },
  TOO_BIG: {
    title: 'The batch, or one blob of it, is larger than the DA layer takes.',
    remedy:
      'The node makes smaller batches by itself. A single blob over the limit can never be posted, and stops it: lower the size of blocks.',
  },
  TIMED_OUT: {
    title: 'The DA node gave no answer in time.',
    remedy:
      'Raise --evnode.da.request_timeout, and check how busy the DA node is. The blobs may have landed all the same: see the evidence of this row.',
  },
  CANCELED: {
    title: 'The node gave the attempt up, as it does when it stops or loses its leadership.',
    remedy: 'Nothing, if the node was stopped on purpose; the next start tries the batch again.',
  },
  DA_BEHIND: {
    title: 'The DA node was asked for a height that it has not reached.',
    remedy:
      'Wait until the DA node is synced. If it is, compare its clock and its network with those of the node.',
  },
  NOT_FOUND: {
    title: 'The DA layer does not have what was asked for.',
    remedy:
      'Check that the DA node is on the right network and has not pruned that height, and that the namespaces are those of the chain.',
  },
  BAD_NAMESPACE: {
    title: 'The namespace or the options of the submission are not valid.',
    remedy:
      'Correct --evnode.da.namespace, --evnode.da.data_namespace and --evnode.da.submit_options: nothing can be posted until then.',
  },
  DA_ERROR: {
    title: 'The DA layer refused, for a reason that is not known here.',
    remedy: 'Read the message. The logs of the node and of the DA node at that time say more.',
  },
  NODE_PANIC: {
    title: 'The node or the DA node failed within itself.',
    remedy: 'Read its log at that time, and report the failure to its project.',
  },
  UNKNOWN: {
    title: 'The node gave no reason, or one that is not known here.',
    remedy: 'See statusText, message and raw for all that it said. Its log at that time may say more.',
  },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly remedy: string }>>;

export type FailureCode = keyof typeof CAUSES;
export const FAILURE_CODES = Object.keys(CAUSES) as readonly FailureCode[];

/** Explains a code to a person in one line. */
export function titleOfCause(code: FailureCode): string {
  return CAUSES[code].title;
}

/** The cause that a status implies by itself. */
export const FAILURE_CAUSES_OF_STATUS: Readonly<Record<FailedStatus, FailureCode>> = {
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

const COARSE: ReadonlySet<SubmissionStatus> = new Set(['ERROR', 'OTHER', 'NOT_FOUND']);

/** Whether a status does not name the cause; the message may. */
export function isCoarse(status: SubmissionStatus): boolean {
  return COARSE.has(status);
}

/**
 * The cause of a failure; null for a success.
 * @param message as the node sent it, or its start
 */
export function findCause(status: SubmissionStatus, message: string | null): FailureDiagnosis | null {
  if (status === 'SUCCESS') return null;
  const said = isCoarse(status) && message !== null ? codeOfMessage(message) : undefined;
  const code =
    said ?? (status === 'ERROR' && message === null ? 'UNKNOWN' : FAILURE_CAUSES_OF_STATUS[status]);
  return { code, ...CAUSES[code] };
}
