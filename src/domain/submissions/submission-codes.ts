/** Statuses in the order of their codes in `submission.status`. Only ever append: stored rows hold the index. */
export const SUBMISSION_STATUSES = [
  'SUCCESS',
  'NOT_FOUND',
  'NOT_INCLUDED_IN_BLOCK',
  'ALREADY_IN_MEMPOOL',
  'TOO_BIG',
  'CONTEXT_DEADLINE',
  'ERROR',
  'INCORRECT_ACCOUNT_SEQUENCE',
  'CONTEXT_CANCELED',
  'HEIGHT_FROM_FUTURE',
  'OTHER',
] as const;
/** How an attempt ended. `OTHER`: the node reported an unknown status, or none. */
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number];

/**
 * Content of a batch, in the order of `submission.kind`. `MIXED`: headers and data share a namespace, so the row does not
 * show which it is. `UNKNOWN`: the node has not reported its namespaces, or the row names another namespace or none.
 */
export const SUBMISSION_KINDS = ['HEADER', 'DATA', 'MIXED', 'UNKNOWN'] as const;
export type SubmissionKind = (typeof SUBMISSION_KINDS)[number];

/** Verdict of the blocks on an attempt, in the order of `submission.evidence`. */
export const SUBMISSION_EVIDENCES = [
  'OBSERVED',
  'CONFIRMED',
  'UNCONFIRMED',
  'UNREFERENCED',
  'RECONSTRUCTED',
  'UNDECIDED',
] as const;
export type SubmissionEvidence = (typeof SUBMISSION_EVIDENCES)[number];

export function statusCodeOf(status: SubmissionStatus): number {
  return SUBMISSION_STATUSES.indexOf(status);
}

export function kindCodeOf(kind: SubmissionKind): number {
  return SUBMISSION_KINDS.indexOf(kind);
}

export function evidenceCodeOf(evidence: SubmissionEvidence): number {
  return SUBMISSION_EVIDENCES.indexOf(evidence);
}

/** The namespaces to which a node says it posts headers and data, as 58 hex digits or as keys; null: not reported. */
export interface Namespaces<Namespace = string> {
  readonly header: Namespace | null;
  readonly data: Namespace | null;
}

/** The kind of a batch by the namespace it was posted to. */
export function kindOf<T>(namespace: T | null, namespaces: Namespaces<T>): SubmissionKind {
  if (namespace === null) return 'UNKNOWN';
  const isHeader = namespace === namespaces.header;
  const isData = namespace === namespaces.data;
  if (isHeader && isData) return 'MIXED';
  if (isHeader) return 'HEADER';
  return isData ? 'DATA' : 'UNKNOWN';
}
