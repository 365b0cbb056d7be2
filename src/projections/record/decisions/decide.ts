import { NOTHING_CARRIED } from '../../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { SubmissionEvidencePastEntity } from '../../../tables/record/submission-evidence-past.entity.js';
import type { DecidedColumns, Row } from './row.js';

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const OBSERVED = evidenceCodeOf('OBSERVED');

/** Decides something as of a position, and keeps what it was before. True: it changed. */
export function decide(row: Row, position: bigint, decided: Readonly<Partial<DecidedColumns>>): boolean {
  let isAsBefore = true;
  for (const name in decided)
    isAsBefore &&= row[name as keyof DecidedColumns] === decided[name as keyof DecidedColumns];
  if (isAsBefore) return false;
  if (row.evidenceFromPosition !== position) {
    row.past ??= [];
    row.past.push({ ...decidedOf(row), fromPosition: row.evidenceFromPosition, toPosition: position });
  }
  Object.assign(row, decided);
  row.evidenceFromPosition = position;
  return true;
}

/** Written out, as it is done for each row. */
function decidedOf(row: Row): DecidedColumns {
  return {
    lineageKey: row.lineageKey,
    chainId: row.chainId,
    kind: row.kind,
    daHeight: row.daHeight,
    evidence: row.evidence,
    blockFrom: row.blockFrom,
    blockTo: row.blockTo,
    shares: row.shares,
    signedShares: row.signedShares,
    countsForChain: row.countsForChain,
  };
}

/** A failure did not land, or not where it was said to. True: it had. */
export function takeBack(row: Row, position: bigint): boolean {
  row.shownAt = null;
  const before = { daHeight: null, lineageKey: row.toldLineageKey, ...NOTHING_CARRIED };
  return decide(row, position, { ...before, evidence: OBSERVED });
}

/** The former versions that have to be stored. Readers derive the others: see `known-at.ts`. */
export function keptPast(row: Row): SubmissionEvidencePastEntity[] {
  const { nodeKey, sequence, past = [] } = row;
  return past.flatMap((version, index) => {
    const isTold = version.fromPosition === row.fromPosition && isFirstOf(version, past[index + 1] ?? row);
    return isTold ? [] : [{ nodeKey, sequence, ...version }];
  });
}

function isFirstOf(version: DecidedColumns, next: DecidedColumns): boolean {
  const isSame = (['lineageKey', 'chainId', 'kind', 'daHeight', 'countsForChain'] as const).every(
    (name) => version[name] === next[name],
  );
  return version.evidence === UNCONFIRMED && version.blockFrom === null && version.shares === null && isSame;
}
