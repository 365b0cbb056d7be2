/** The two kinds of blobs that a block gives rise to. */
export type BlobKind = 'HEADER' | 'DATA';

/** The DA heights of blobs of one kind that a walk has seen. */
export interface Line {
  /** Of the first of them, and the highest; null before there is one. */
  readonly from: bigint | null;
  readonly to: bigint | null;
  /**
   * Those for which a blob of a block stepped over may be missing; `to` null until a later block tells. Ascending,
   * not touching; only the last one is open.
   */
  readonly holes: readonly Hole[];
}

/** What of a walk tells where DA heights lie. */
export interface StandingWalk {
  /** Whether its lowest block is the first of the chain: then nothing can have been included before it. */
  fromStart: boolean;
  lines: Readonly<Record<BlobKind, Line>>;
}

/** How far one node's blocks are recorded without a gap and included. */
export interface InclusionWalk extends StandingWalk {
  /** The lowest recorded height. */
  firstHeight: bigint;
  /** The last height of the walk; `firstHeight - 1` before it has begun. */
  frontier: bigint;
  /** Heights that cannot be read any more and that the walk has yet to step over; ascending, not touching. */
  gaps: readonly HeightRange[];
}

/** Both ends belong to it. */
export interface HeightRange {
  readonly from: bigint;
  readonly to: bigint;
}
export interface Hole {
  readonly from: bigint;
  readonly to: bigint | null;
}

/** A node with more unreadable stretches than this ahead of its walk is not worth following. */
const MOST_GAPS = 500;
/** Of more holes than this the oldest are joined: what lies between them is left undecided, too. */
const MOST_HOLES = 500;

/** What the walk needs to know of a block. */
export interface WalkedBlock {
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  /** Without transactions it posts no data. */
  readonly txCount: number;
}

const NOTHING_SEEN: Line = { from: null, to: null, holes: [] };

/** A walk that stands before a height. */
export function startWalk(firstHeight: bigint, fromStart: boolean): InclusionWalk {
  const lines = { HEADER: NOTHING_SEEN, DATA: NOTHING_SEEN };
  return { firstHeight, fromStart, frontier: firstHeight - 1n, lines, gaps: [] };
}

/** Both of a block's blobs are included; without transactions there is only the header's. */
function isIncluded(block: WalkedBlock): boolean {
  return block.headerDaHeight !== null && (block.dataDaHeight !== null || block.txCount === 0);
}

/** Notes heights that cannot be read any more. What lies below the walk does not matter to it. */
export function addGap(walk: InclusionWalk, gap: HeightRange): void {
  if (gap.to <= walk.frontier || walk.gaps.length >= MOST_GAPS) return;
  const merged: HeightRange[] = [];
  for (const next of [...walk.gaps, gap].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = merged.at(-1);
    if (!last || next.from > last.to + 1n) merged.push(next);
    else if (next.to > last.to) merged[merged.length - 1] = { from: last.from, to: next.to };
  }
  walk.gaps = merged;
}

/**
 * Walks on over blocks that are known and included, and over gaps. True: it moved.
 *
 * A gap may hold blocks that were recorded before they were given up. It is stepped over whole, so that it does not matter
 * which of them are at hand.
 */
export function advanceWalk(walk: InclusionWalk, find: (height: bigint) => WalkedBlock | undefined): boolean {
  const before = walk.frontier;
  for (;;) {
    const height = walk.frontier + 1n;
    const gap = walk.gaps.find(({ from, to }) => from <= height && height <= to);
    const block = gap ? undefined : find(height);
    if (gap) stepOver(walk, gap);
    else if (block && isIncluded(block)) step(walk, block);
    else return walk.frontier !== before;
  }
}

function step(walk: InclusionWalk, block: WalkedBlock): void {
  const { HEADER, DATA } = walk.lines;
  walk.frontier += 1n;
  walk.lines = {
    HEADER: seen(HEADER, block.headerDaHeight),
    DATA: block.txCount === 0 ? DATA : seen(DATA, block.dataDaHeight),
  };
}

function seen({ from, to, holes }: Line, daHeight: bigint | null): Line {
  return { from: from ?? daHeight, to: highest(to, daHeight), holes: endHole(holes, daHeight, to) };
}

function stepOver(walk: InclusionWalk, gap: HeightRange): void {
  const { HEADER, DATA } = walk.lines;
  walk.frontier = gap.to;
  walk.gaps = walk.gaps.filter((each) => each !== gap);
  walk.lines = {
    HEADER: { ...HEADER, holes: beginHole(HEADER.holes, HEADER.to) },
    DATA: { ...DATA, holes: beginHole(DATA.holes, DATA.to) },
  };
}

/** A hole that is open still takes in what is stepped over next. */
function beginHole(holes: readonly Hole[], lastDa: bigint | null): readonly Hole[] {
  return holes.at(-1)?.to === null ? holes : addHole(holes, { from: lastDa ?? 0n, to: null });
}

/**
 * What was stepped over was posted between the blocks around it. DA heights rise from block to block as a rule. Where
 * the block behind a hole points lower than one before it, the order is lost. What is missing may then lie as low as
 * the lowest block there. The order is found again at the first block that points as high as all before it: there the
 * hole ends.
 */
function endHole(
  holes: readonly Hole[],
  daHeight: bigint | null,
  highestBefore: bigint | null,
): readonly Hole[] {
  const last = holes.at(-1);
  if (!last || last.to !== null || daHeight === null) return holes;
  const from = daHeight < last.from ? daHeight : last.from;
  const isInOrder = highestBefore === null || daHeight >= highestBefore;
  return addHole(holes.slice(0, -1), { from, to: isInOrder ? daHeight : null });
}

/** Adds a hole that reaches at least as high as all others, joined with those that it touches. */
function addHole(holes: readonly Hole[], hole: Hole): readonly Hole[] {
  const kept = [...holes];
  let { from } = hole;
  for (let last = kept.at(-1); last && last.to !== null && last.to + 1n >= from; last = kept.at(-1)) {
    if (last.from < from) from = last.from;
    kept.pop();
  }
  kept.push({ from, to: hole.to });
  const [first, second] = kept;
  if (kept.length > MOST_HOLES && first && second) kept.splice(0, 2, { from: first.from, to: second.to });
  return kept;
}

/**
 * Where a DA height lies, as far as blobs of one kind are concerned. Submissions of a kind follow each other. So once a
 * later block points to a higher DA height, all blocks that point to a lower one are known.
 *
 * `PASSED`: all of them are known. `BEYOND`: there may be more. `BEFORE`: they lie, or may lie, in a gap or before the
 * first block that was recorded. Then only a walk that began lower, or another node's, can tell.
 */
export type Stand = 'PASSED' | 'BEYOND' | 'BEFORE';

export function standOf(walks: readonly StandingWalk[], kind: BlobKind, daHeight: bigint): Stand {
  let stand: Stand | undefined;
  for (const { fromStart, lines } of walks) {
    const { from, to, holes } = lines[kind];
    if (from === null || to === null || daHeight >= to) stand = 'BEYOND';
    else if ((fromStart || daHeight > from) && !isInHole(holes, daHeight)) return 'PASSED';
    else stand ??= 'BEFORE';
  }
  return stand ?? 'BEYOND';
}

function isInHole(holes: readonly Hole[], daHeight: bigint): boolean {
  return holes.some(({ from, to }) => from <= daHeight && (to === null || daHeight <= to));
}

function highest(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b > a) ? b : a;
}
