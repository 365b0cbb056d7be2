import { HEADER_ENVELOPE_BYTES } from '../blocks/block-encoding.js';
import {
  carriedByLeftover,
  carriedByRun,
  NOTHING_CARRIED,
  type CarriedBlobs,
} from '../submissions/carried-blobs.js';
import type { SubmissionEvidence, SubmissionKind } from '../submissions/submission-codes.js';
import {
  placeCarriers,
  type CellAttempt,
  type IncludedBlob,
  type IncludedBlobs,
  type Leftover,
  type Placement,
} from './blob-segments.js';
import { evidenceOfSuccess } from './evidence.js';
import type { Explanation, Unexplained } from './explain-group.js';
import type { BlobKind, WalkPosition } from './inclusion-walk.js';

export const BLOB_KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];

/** The blobs of one history of a chain at a DA height. */
export interface ShownHistory {
  readonly lineageKey: number;
  /** Whether a node has shown blocks of this history. */
  readonly isShownBy: (nodeKey: number) => boolean;
  readonly blobs: IncludedBlobs;
  /** Position of the DA height; `BEYOND` also while lists still have to be polled. */
  readonly stands: Readonly<Record<BlobKind, WalkPosition>>;
}

/** A success, and the history that its node had shown last when the success was recorded; null: none yet. */
export interface CellSuccess extends CellAttempt {
  readonly toldLineage: number | null;
}

interface DecidedAttempt<Attempt> {
  readonly attempt: Attempt;
  readonly lineageKey: number | null;
  readonly evidence: SubmissionEvidence;
  readonly carried: CarriedBlobs;
}

/** Blobs of a kind that no row certainly carried. */
interface DecidedGroup<Landed> {
  readonly lineageKey: number;
  readonly kind: BlobKind;
  readonly left: Leftover;
  readonly carried: CarriedBlobs;
  readonly explanation: Unexplained<Landed>;
}

export interface DecidedCell<Success, Landed> {
  readonly successes: readonly DecidedAttempt<Success>[];
  /** Failures that landed; `rows` are those of all nodes that show the attempt. */
  readonly landed: readonly (DecidedAttempt<Landed> & {
    readonly rows: readonly Landed[];
    readonly lineageKey: number;
    readonly as: BlobKind;
  })[];
  readonly groups: readonly DecidedGroup<Landed>[];
}

interface PlacedHistory<Success> {
  readonly history: ShownHistory;
  readonly mine: readonly Success[];
  readonly placement: Placement;
}

/** A DA height with its successes decided. Blobs that none of them carried are explained by {@link explainCell}. */
export interface PlacedCell<Success> {
  readonly successes: readonly DecidedAttempt<Success>[];
  readonly histories: readonly PlacedHistory<Success>[];
  /** Kinds of blobs that a success without a proof may have carried all the same. */
  readonly open: ReadonlySet<BlobKind>;
}

/**
 * Decides the history of each success at one DA height of a chain, and the blobs that it carried.
 *
 * @param histories those that show blobs there or that successes name, the oldest first
 * @param successes by node and sequence
 */
export function placeCell<Success extends CellSuccess>(
  histories: readonly ShownHistory[],
  successes: readonly Success[],
): PlacedCell<Success> {
  const ofHistory = giveHistories(histories, successes);
  const placed = histories.map((history) => {
    const mine = successes.filter((success) => ofHistory.get(success) === history.lineageKey);
    return { history, mine, placement: placeCarriers(history.blobs, mine) };
  });
  const unplaced = successes.filter((success) => !ofHistory.has(success));
  const decided: DecidedAttempt<Success>[] = unplaced.map((attempt) => {
    const evidence = evidenceOfUnplaced(attempt);
    return { attempt, lineageKey: null, evidence, carried: NOTHING_CARRIED };
  });
  for (const each of placed) for (const attempt of evidenceOf(each)) decided.push(attempt);
  const told = decided.map((each) =>
    each.evidence === 'UNREFERENCED' && isPartElsewhere(each, histories, decided)
      ? { ...each, evidence: 'OBSERVED' as const }
      : each,
  );
  const open = told.filter(({ evidence, lineageKey }) => lineageKey === null || evidence === 'OBSERVED');
  const isOpen = (kind: BlobKind): boolean => open.some(({ attempt }) => mayCarry(attempt, kind));
  return { successes: told, histories: placed, open: new Set(BLOB_KINDS.filter(isOpen)) };
}

/** The blobs below the frontier that no success carried or may have carried, by history and kind. */
export function leftoversOf({
  histories,
  open,
}: PlacedCell<unknown>): { readonly kind: BlobKind; readonly left: Leftover }[] {
  return histories.flatMap(({ history: { stands }, placement: { leftover } }) =>
    BLOB_KINDS.flatMap((kind) => {
      const left = leftover[kind];
      return left && stands[kind] === 'PASSED' && !open.has(kind) ? [{ kind, left }] : [];
    }),
  );
}

/** Explains the blobs that no success carried. @param explain called for those of {@link leftoversOf} */
export function explainCell<Success extends CellSuccess, Landed extends CellAttempt>(
  { successes, histories, open }: PlacedCell<Success>,
  explain: (history: ShownHistory, kind: BlobKind, left: Leftover) => Explanation<Landed>,
): DecidedCell<Success, Landed> {
  const left = histories.map((each) => explainLeft(each, open, explain));
  return {
    successes,
    landed: left.flatMap(({ landed }) => landed),
    groups: left.flatMap(({ groups }) => groups),
  };
}

function evidenceOf<Success extends CellSuccess>({
  history: { lineageKey, blobs, stands },
  mine,
  placement,
}: PlacedHistory<Success>): DecidedAttempt<Success>[] {
  return mine.map((attempt, index) => {
    const evidence = evidenceOfSuccess(attempt, placement.fits[index] ?? 'NONE', stands);
    return { attempt, lineageKey, evidence, carried: carriedBy(blobs, placement, index) };
  });
}

/** Evidence of a success about which no block proves anything yet. */
export function evidenceOfUnplaced(attempt: {
  readonly kind: SubmissionKind;
  readonly blobCount: number | null;
}): SubmissionEvidence {
  return evidenceOfSuccess(attempt, 'NONE', { HEADER: 'BEYOND', DATA: 'BEYOND' });
}

/**
 * Whether another history has blobs there that nothing fits exactly and the success may have carried: then it was not
 * posted for nothing.
 */
function isPartElsewhere<Success extends CellSuccess>(
  { attempt, lineageKey }: DecidedAttempt<Success>,
  histories: readonly ShownHistory[],
  decided: readonly DecidedAttempt<Success>[],
): boolean {
  return histories.some((history) => {
    if (history.lineageKey === lineageKey) return false;
    const exact = decided.filter(
      (each) => each.lineageKey === history.lineageKey && each.carried.blockFrom !== null,
    );
    return (
      placeCarriers(history.blobs, [...exact.map((each) => each.attempt), attempt]).fits.at(-1) !== 'NONE'
    );
  });
}

const A_SUCCESS: Unexplained<never> = { outcome: 'UNDECIDED', possible: 1, isSuccess: true, rows: [] };

/** Explains blobs that no success of a history carried. @param open the kinds that a success may have carried all the same */
function explainLeft<Success extends CellSuccess, Landed extends CellAttempt>(
  { history, mine, placement: before }: PlacedHistory<Success>,
  open: ReadonlySet<BlobKind>,
  explain: (history: ShownHistory, kind: BlobKind, left: Leftover) => Explanation<Landed>,
): Pick<DecidedCell<Success, Landed>, 'landed' | 'groups'> {
  const { lineageKey, blobs, stands } = history;
  const landed: { readonly attempt: Landed; readonly rows: readonly Landed[]; readonly as: BlobKind }[] = [];
  const groups: DecidedGroup<Landed>[] = [];
  let placement = before;
  for (const kind of BLOB_KINDS) {
    const left = placement.leftover[kind];
    if (!left || stands[kind] !== 'PASSED') continue;
    let explanation: Explanation<Landed> = open.has(kind) ? A_SUCCESS : explain(history, kind, left);
    if (explanation.outcome === 'LANDED') {
      const { row: attempt, rows, possible } = explanation;
      const withIt = placeCarriers(blobs, [...mine, ...landed.map((each) => each.attempt), attempt]);
      if (withIt.fits.at(-1) === 'EXACT' && !withIt.leftover[kind]) {
        landed.push({ attempt, rows, as: kind });
        placement = withIt;
        continue;
      }
      explanation = { outcome: 'UNDECIDED', possible, isSuccess: false, rows };
    }
    const carried = carriedByLeftover(blobs[kind], left.blobs);
    groups.push({ lineageKey, kind, left, carried, explanation });
  }
  const evidence = 'CONFIRMED' as const;
  return {
    groups,
    landed: landed.map((each, index) => {
      return { ...each, lineageKey, evidence, carried: carriedBy(blobs, placement, mine.length + index) };
    }),
  };
}

/**
 * The history of each success: the one that its node had shown last. Another history of the node replaces it if that one
 * shows the success exactly, the last one does not, and the fit of no other success changes. For a node that has shown no
 * history of the chain, any history may be its own.
 */
function giveHistories<Success extends CellSuccess>(
  histories: readonly ShownHistory[],
  successes: readonly Success[],
): Map<Success, number> {
  const given = new Map<Success, number>();
  for (const success of successes) if (success.toldLineage !== null) given.set(success, success.toldLineage);
  if (histories.length < 2 && given.size === successes.length) return given;
  const of = (lineageKey: number) => successes.filter((success) => given.get(success) === lineageKey);
  const fitsOf = ({ lineageKey, blobs }: ShownHistory, more: readonly Success[] = []) =>
    placeCarriers(blobs, [...of(lineageKey), ...more]).fits;
  for (const success of successes) {
    const own = histories.find(({ lineageKey }) => lineageKey === given.get(success));
    const fit = own ? fitsOf(own)[of(own.lineageKey).indexOf(success)] : 'NONE';
    if (fit === 'EXACT' || fit === 'VAGUE') continue;
    const other = histories.find((history) => {
      if (history === own || (own && !history.isShownBy(success.nodeKey))) return false;
      const fits = fitsOf(history, [success]);
      return fits.at(-1) === 'EXACT' && fitsOf(history).every((before, index) => before === fits[index]);
    });
    if (other) given.set(success, other.lineageKey);
  }
  return given;
}

function mayCarry({ kind, blobCount }: CellAttempt, of: BlobKind): boolean {
  return blobCount !== 0 && (kind === of || kind === 'MIXED' || kind === 'UNKNOWN');
}

function carriedBy(blobs: IncludedBlobs, placement: Placement, index: number): CarriedBlobs {
  const run = placement.carried[index];
  if (!run) return NOTHING_CARRIED;
  const carried: readonly IncludedBlob[] = blobs[run.kind].slice(run.from, run.to);
  if (run.less === 0) return carriedByRun(carried);
  return carriedByRun(
    carried.map((blob) => ({ ...blob, bytes: blob.bytes === null ? null : blob.bytes - run.less })),
  );
}

/** Bytes of blobs under each scheme by which nodes have counted them: headers once had no envelope. */
export function sizesOf(kind: BlobKind, { bytes, count }: Leftover): readonly bigint[] | null {
  if (bytes === null) return null;
  return kind === 'DATA' ? [bytes] : [bytes, bytes - BigInt(HEADER_ENVELOPE_BYTES * count)];
}
