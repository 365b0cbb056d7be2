import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { decide, SELECT_ATTEMPT, type Attempt } from './record-attempt.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { latestTimeOf } from './record-late.js';
import { nameOf } from './record-uncertain.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');
/** So many alike ones before an attempt, and behind it, are compared with it. */
const MOST_ALIKE = 100;
const ALIKE = [
  'lineageKey',
  'kind',
  'blobCount',
  'sizeBytes',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** Where an attempt landed, and what it carried there. */
type Place = Pick<Attempt, 'blockFrom' | 'blockTo' | 'shares' | 'signedShares'> & {
  readonly daHeight: bigint;
};

/**
 * Confirms that a failed attempt carried what is missing, or that one did which is like it in all that is known. A node posts
 * blobs of a kind one batch after the other, and its list has the attempts in that order; so attempts of a node that are alike
 * landed in the order of its list, whichever of their DA heights was decided first.
 */
export async function confirmInOrder(
  batch: EvidenceBatch,
  { cell, shownAt }: Missing,
  attempt: Attempt,
  position: bigint,
): Promise<void> {
  const crossed = await findCrossed(batch, attempt, cell);
  const attempts = [...crossed, attempt].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  // What blocks had shown before an attempt was made was another one.
  const heir = attempts[crossed.filter((each) => (each.daHeight ?? 0n) < cell.daHeight).length] ?? attempt;
  const latest = latestTimeOf(batch.parts.views, heir.nodeKey, shownAt);
  const isLate = heir !== attempt && !heir.wildTime && heir.timeAt > latest;
  if (crossed.length === 0 || isLate) return place(batch, attempt, cell, position);
  const nowhere = { blockFrom: null, blockTo: null, shares: null, signedShares: null };
  const places: Place[] = [...crossed.map(placeOf), { ...nowhere, daHeight: cell.daHeight }];
  places.sort((a, b) => (a.daHeight < b.daHeight ? -1 : 1));
  for (const each of crossed) cellOf(batch, each)?.removeAttempt(each);
  for (const [index, each] of attempts.entries()) {
    decide(each, position, { evidence: CONFIRMED, ...places[index] });
    cellOf(batch, each)?.addAttempt(each);
    batch.changes.attempts.add(each);
  }
}

function place(batch: EvidenceBatch, attempt: Attempt, cell: Cell, position: bigint): void {
  decide(attempt, position, { evidence: CONFIRMED, daHeight: cell.daHeight });
  cell.addAttempt(attempt);
  batch.changes.attempts.add(attempt);
}

/** Those alike that stand behind it in the list and landed below the cell, or before it and above the cell. */
async function findCrossed(batch: EvidenceBatch, attempt: Attempt, { daHeight }: Cell): Promise<Attempt[]> {
  const alike = new Map<string, Attempt>();
  const add = (other: Attempt) => {
    const isAlike = other.status !== 0 && ALIKE.every((name) => other[name] === attempt[name]);
    const isIt = isAlike && other.nodeKey === attempt.nodeKey && other.evidence === CONFIRMED;
    if (isIt && other !== attempt && other.daHeight !== null) alike.set(nameOf(other), other);
  };
  for (const row of await getStored(batch, attempt)) {
    const held = cellOf(batch, row)?.attempts.find((each) => nameOf(each) === nameOf(row));
    add(batch.identify(held ?? row));
  }
  for (const changed of batch.changes.attempts) add(changed);
  const sorted = [...alike.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  const before = sorted.filter(({ sequence }) => sequence < attempt.sequence).toReversed();
  const behind = sorted.filter(({ sequence }) => sequence > attempt.sequence);
  // They are in order among themselves.
  const lastAbove = before.findIndex((each) => (each.daHeight ?? 0n) <= daHeight);
  const lastBelow = behind.findIndex((each) => (each.daHeight ?? 0n) >= daHeight);
  return [
    ...before.slice(0, lastAbove === -1 ? undefined : lastAbove),
    ...behind.slice(0, lastBelow === -1 ? undefined : lastBelow),
  ];
}

/** Of those alike that had landed before this batch the nearest in the list, both ways. */
function getStored({ query }: EvidenceBatch, attempt: Attempt): Promise<Attempt[]> {
  const { nodeKey, sequence, lineageKey, kind, blobCount, sizeBytes } = attempt;
  const nearest = (side: string, order: string) => `
    (SELECT ${SELECT_ATTEMPT} FROM submission s
      WHERE s.node_key = $1 AND s.lineage_key = $2 AND s.blob_count = $3 AND s.size_bytes = $4 AND s.kind = $5
        AND s.evidence = ${CONFIRMED} AND s.status <> 0 AND s.sequence ${side} $6
      ORDER BY s.sequence ${order} LIMIT ${MOST_ALIKE})`;
  return query<Attempt>(`${nearest('<', 'DESC')} UNION ALL ${nearest('>', 'ASC')}`, [
    nodeKey,
    lineageKey,
    blobCount,
    sizeBytes,
    kind,
    sequence,
  ]);
}

function placeOf({ daHeight, blockFrom, blockTo, shares, signedShares }: Attempt): Place {
  return { daHeight: daHeight ?? 0n, blockFrom, blockTo, shares, signedShares };
}

/** The cell at which an attempt landed, where this batch holds it. */
function cellOf({ cells }: EvidenceBatch, { lineageKey, daHeight }: Attempt): Cell | undefined {
  return lineageKey === null || daHeight === null ? undefined : cells.find(lineageKey, daHeight);
}
