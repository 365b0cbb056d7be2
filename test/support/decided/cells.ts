import {
  placeCarriers,
  type Fit,
  type IncludedBlob,
  type Placement,
} from '../../../src/domain/evidence/blob-segments.js';
import { evidenceOfSuccess } from '../../../src/domain/evidence/evidence.js';
import type { BlobKind } from '../../../src/domain/evidence/inclusion-walk.js';
import type { SubmissionEvidence, SubmissionKind } from '../../../src/domain/submissions/submission-codes.js';
import { KINDS, type Frontier } from './frontier.js';
import { historiesOf, type ToldRow } from './told-rows.js';
import type { KnownBlock, KnownLog } from './known-log.js';

/** A row with the decisions about it. */
export interface DecidedRow {
  readonly told: ToldRow;
  kind: SubmissionKind;
  history: string | null;
  daHeight: bigint | null;
  evidence: SubmissionEvidence;
  /** Heights of the blocks whose blobs it carried; empty when unknown. */
  carried: readonly bigint[];
}

/** All rows, and the rest of the log. */
export interface Facts {
  readonly log: KnownLog;
  /** In the order of the log. */
  readonly rows: readonly DecidedRow[];
}

/** Blobs of one kind, at one DA height of one history, that no success explains. */
export interface Blobs {
  readonly history: string;
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly heights: readonly bigint[];
  /** Null for an unknown scheme. */
  readonly bytes: bigint | null;
  /** The time when the first of them was first shown there, in milliseconds of the observer's clock. */
  readonly shownAt: number;
}

/** Blobs with the state of the frontier. */
export interface Group extends Blobs {
  /** The time when the walks passed it, as above; null while it is not decided. */
  readonly passedAt: number | null;
}

const BEYOND = { HEADER: 'BEYOND', DATA: 'BEYOND' } as const;

/** A row before blocks are consulted. A success waits for its block, and an attempt without a DA height stays as observed. */
export function undecided(told: ToldRow): DecidedRow {
  const { row, kind, home } = told;
  const daHeight = row.status === 'SUCCESS' ? row.daHeight : null;
  const { blobCount } = row;
  const evidence = daHeight === null ? 'OBSERVED' : evidenceOfSuccess({ kind, blobCount }, 'NONE', BEYOND);
  return { told, kind, history: home, daHeight, evidence, carried: [] };
}

/**
 * Decides the successes of a chain at one DA height, in all its histories, and returns the blobs left over. A success is
 * CONFIRMED as soon as its blobs fit. All other decisions about it and the remaining blobs wait for the frontier (points 2 and
 * 4).
 *
 * @param rows the successes that name this DA height, node by node in the order of their lists
 */
export function decideCell(
  chain: string,
  daHeight: bigint,
  rows: readonly DecidedRow[],
  { log, frontier }: { readonly log: KnownLog; readonly frontier: Frontier },
): Group[] {
  const histories = historiesOf(chain, log);
  const cells = new Map(histories.map((history) => [history, blobsAt(history, daHeight, log)]));
  moveToFit(rows, cells, log);
  const groups: Group[] = [];
  for (const [history, blobs] of cells) {
    const here = rows.filter((row) => row.history === history);
    const placement = place(blobs, here);
    const standOf = (kind: BlobKind) => {
      const stand = frontier.standAt(history, kind, daHeight);
      return stand;
    };
    const stands = { HEADER: standOf('HEADER'), DATA: standOf('DATA') };
    here.forEach((row, index) => {
      const { kind, row: told } = row.told;
      const fit = placement.fits[index] ?? 'NONE';
      row.evidence = evidenceOfSuccess({ kind, blobCount: told.blobCount }, fit, stands);
      const run = placement.carried[index];
      if (!run) return;
      row.carried = blobs[run.kind].slice(run.from, run.to).map(({ height }) => height);
    });
    for (const kind of KINDS) {
      const left = placement.leftover[kind];
      if (!left) continue;
      const heights = left.blobs.map(({ height }) => height);
      const shownAt = firstShownAt(history, kind, daHeight, { log, heights });
      const passedAt = stands[kind] === 'PASSED' ? frontier.passedAt(history, kind, daHeight) : null;
      groups.push({ history, kind, daHeight, heights, bytes: left.bytes, shownAt, passedAt });
    }
  }
  for (const row of rows)
    if (row.evidence === 'UNREFERENCED' && isPartElsewhere(row, rows, cells)) row.evidence = 'OBSERVED';
  return groups;
}

/**
 * Gives each row the history whose blobs it fits, among those that its node has shown, or else its home. No row moves if it would
 * take blobs from another row (point 9). A row of a node that has shown no history may belong to any.
 */
function moveToFit(rows: readonly DecidedRow[], cells: ReadonlyMap<string, Cell>, log: KnownLog): void {
  const fitsIn = (history: string | null, guest: DecidedRow | null) => {
    const here = rows.filter((row) => row === guest || row.history === history);
    const { fits } = place(cells.get(history ?? '') ?? NOTHING, here);
    return new Map(here.map((row, index) => [row, fits[index] as Fit]));
  };
  for (const row of rows) {
    const fit = fitsIn(row.history, null).get(row);
    if (fit === 'EXACT' || (fit === 'VAGUE' && row.history !== null)) continue;
    const better = [...cells.keys()].find((history) => {
      const words = log.nodes.get(row.told.node)?.words ?? [];
      const isShown = row.told.home === null || words.some((word) => word.history === history);
      if (history === row.history || !isShown) return false;
      const after = fitsIn(history, row);
      const isSame = [...fitsIn(history, null)].every(([other, before]) => after.get(other) === before);
      return isSame && after.get(row) === 'EXACT';
    });
    row.history = better ?? row.history;
  }
}

/** Whether another history has blobs there that no exact fit explains and that the row may hold: then the row is not wasted. */
function isPartElsewhere(
  row: DecidedRow,
  rows: readonly DecidedRow[],
  cells: ReadonlyMap<string, Cell>,
): boolean {
  return [...cells].some(([history, blobs]) => {
    const exact = rows.filter((other) => other.history === history && other.carried.length > 0);
    return history !== row.history && place(blobs, [...exact, row]).fits.at(-1) !== 'NONE';
  });
}

type Cell = Readonly<Record<BlobKind, readonly IncludedBlob[]>>;
const NOTHING: Cell = { HEADER: [], DATA: [] };

function place(blobs: Cell, rows: readonly DecidedRow[]): Placement {
  const nodes = [...new Set(rows.map(({ told }) => told.node))];
  return placeCarriers(
    blobs,
    rows.map(({ told: { node, kind, row } }) => ({
      nodeKey: nodes.indexOf(node),
      kind,
      blobCount: row.blobCount,
      sizeBytes: row.sizeBytes,
    })),
  );
}

export function daHeightOf(block: KnownBlock, kind: BlobKind): bigint | null {
  return kind === 'HEADER' ? block.headerDaHeight : block.dataDaHeight;
}

/** All blocks of a history that nodes showed. */
function blocksOf(history: string, log: KnownLog): KnownBlock[] {
  return log.shown.filter((known) => known.history === history).flatMap(({ blocks }) => [...blocks.values()]);
}

/** The blobs to which blocks of a history point at a DA height, one per block, by rising height. */
function blobsAt(history: string, daHeight: bigint, log: KnownLog): Cell {
  const of = (kind: BlobKind): IncludedBlob[] => {
    const byHeight = new Map<bigint, IncludedBlob>();
    for (const block of blocksOf(history, log)) {
      const { height, timeNs, bytes } = block;
      if (daHeightOf(block, kind) === daHeight && !byHeight.has(height))
        byHeight.set(height, { height, timeNs, bytes: bytes[kind] });
    }
    return [...byHeight.values()].sort((a, b) => (a.height < b.height ? -1 : 1));
  };
  return { HEADER: of('HEADER'), DATA: of('DATA') };
}

function firstShownAt(
  history: string,
  kind: BlobKind,
  daHeight: bigint,
  { log, heights }: { readonly log: KnownLog; readonly heights: readonly bigint[] },
): number {
  const there = blocksOf(history, log).filter(
    (block) => daHeightOf(block, kind) === daHeight && heights.includes(block.height),
  );
  return Math.min(...there.map(({ shownAt }) => shownAt[kind]));
}
