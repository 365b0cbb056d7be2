import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import type { SubmissionEvidencePastEntity } from '../../../tables/record/submission-evidence-past.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';

/** What is decided of a row after it was recorded, and kept as it was before. */
export const DECIDED = [
  'lineageKey',
  'kind',
  'daHeight',
  'evidence',
  'blockFrom',
  'blockTo',
  'shares',
  'signedShares',
] as const satisfies readonly (keyof SubmissionEntity)[];

const READ = [
  'nodeKey',
  'sequence',
  'status',
  'namespaceKey',
  'blobCount',
  'sizeBytes',
  'evidenceFromPosition',
  'fromPosition',
  'timeAt',
  'wildTime',
  ...DECIDED,
] as const satisfies readonly (keyof SubmissionEntity)[];

type Decided = Pick<SubmissionEntity, (typeof DECIDED)[number]>;
type PastVersion = Decided & Pick<SubmissionEvidencePastEntity, 'fromPosition' | 'toPosition'>;

/** What evidence needs to know of a row of `submission`, and changes of it. Codes are those of `submission-codes.ts`. */
export interface Attempt extends Omit<Pick<SubmissionEntity, (typeof READ)[number]>, 'nodeKey' | 'sequence'> {
  readonly nodeKey: number;
  readonly sequence: bigint;
  /** What names the attempt, whichever node tells of it; of a stored one null unless its time is wild. */
  readonly occurredAt: Micros | null;
  readonly digest: bigint | null;
  /** Without a lineage: the chain that it belongs to, which its node named; null or missing for none. */
  namedChain?: string | null;
  /** Whether the row stands in the table already; else it is inserted with what it is at the end of the batch. */
  readonly isStored: boolean;
  /** What it was within this batch, in order. */
  past?: PastVersion[];
}

/** What decisions change of an attempt. */
type Decidable = Omit<Attempt, 'occurredAt' | 'digest'>;

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

/** Decides something as of a position, and keeps what it was before. True: it changed. */
export function decide(attempt: Decidable, position: bigint, decided: Readonly<Partial<Decided>>): boolean {
  const isAsBefore = DECIDED.every((name) => decided[name] === undefined || attempt[name] === decided[name]);
  if (isAsBefore) return false;
  if (attempt.evidenceFromPosition !== position) {
    const { lineageKey, kind, daHeight, evidence, blockFrom, blockTo, shares, signedShares } = attempt;
    const before = { lineageKey, kind, daHeight, evidence, blockFrom, blockTo, shares, signedShares };
    attempt.past ??= [];
    attempt.past.push({ ...before, fromPosition: attempt.evidenceFromPosition, toPosition: position });
  }
  Object.assign(attempt, decided, { evidenceFromPosition: position });
  return true;
}

/** What it was within this batch, but for what a reader can tell from the rest: see `known-at.ts`. */
export function keptPast(attempt: Decidable): SubmissionEvidencePastEntity[] {
  const { nodeKey, sequence, past = [] } = attempt;
  return past.flatMap((version, index) => {
    const isTold =
      version.fromPosition === attempt.fromPosition && isFirstOf(version, past[index + 1] ?? attempt);
    return isTold ? [] : [{ nodeKey, sequence, ...version }];
  });
}

function isFirstOf(version: Decided, next: Decided): boolean {
  const isSame = (['lineageKey', 'kind', 'daHeight'] as const).every((name) => version[name] === next[name]);
  return version.evidence === UNCONFIRMED && version.blockFrom === null && version.shares === null && isSame;
}
