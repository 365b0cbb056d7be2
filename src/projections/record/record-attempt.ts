import { equalCarried, type CarriedBlobs } from '../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';
import { selectList } from '../../platform/rows/row-columns.js';
import type { SubmissionEvidencePastEntity } from '../../tables/record/submission-evidence-past.entity.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';

const READ = [
  'nodeKey',
  'sequence',
  'lineageKey',
  'status',
  'kind',
  'namespaceKey',
  'blobCount',
  'sizeBytes',
  'daHeight',
  'evidence',
  'evidenceFromPosition',
  'fromPosition',
  'timeAt',
  'blockFrom',
  'blockTo',
  'shares',
  'signedShares',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** What evidence needs to know of a row of `submission`, and changes of it. Codes are those of `submission-codes.ts`. */
export interface Attempt extends Omit<Pick<SubmissionEntity, (typeof READ)[number]>, 'nodeKey' | 'sequence'> {
  readonly nodeKey: number;
  readonly sequence: bigint;
  /** Without a lineage: the chain that it belongs to, which its node named; null or missing for none. */
  namedChain?: string | null;
  /** Whether the row stands in the table already; else it is inserted with what it is at the end of the batch. */
  readonly isStored: boolean;
  /** Evidence that was replaced within this batch. */
  past?: SubmissionEvidencePastEntity[];
}

/** What a SELECT of rows of `submission s` lists so that they are attempts. */
export const SELECT_ATTEMPT = `${selectList(SubmissionEntity, 's', READ)}, true AS "isStored"`;

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

/** Sets the evidence as of a position and keeps the one before, unless a reader can tell it. True: it changed. */
export function setEvidence(attempt: Attempt, evidence: number, position: bigint): boolean {
  if (attempt.evidence === evidence) return false;
  const isTold = attempt.evidence === UNCONFIRMED && attempt.evidenceFromPosition === attempt.fromPosition;
  if (!isTold && attempt.evidenceFromPosition !== position) {
    const { nodeKey, sequence, evidence: before, evidenceFromPosition: fromPosition } = attempt;
    attempt.past ??= [];
    attempt.past.push({ nodeKey, sequence, evidence: before, fromPosition, toPosition: position });
  }
  attempt.evidence = evidence;
  attempt.evidenceFromPosition = position;
  return true;
}

/** Sets what the blocks tell of its blobs. True: it changed. */
export function setCarried(attempt: Attempt, carried: CarriedBlobs): boolean {
  if (equalCarried(attempt, carried)) return false;
  Object.assign(attempt, carried);
  return true;
}
