/** The two kinds of blobs that a block produces. */
export type BlobKind = 'HEADER' | 'DATA';

/** The DA heights of blobs of one kind that a walk has seen. */
export interface DaLine {
  /** DA height of the first blob, and the highest DA height; null before the first blob. */
  readonly from: bigint | null;
  readonly to: bigint | null;
  /**
   * DA heights at which a blob of a skipped block may be missing; `to` is null until a later block bounds it. Ascending,
   * not touching; only the last one is open.
   */
  readonly holes: readonly DaGap[];
}

/** The part of a walk that determines the stand of DA heights. */
export interface StandingWalk {
  /** Whether its lowest block is the first of the chain: nothing can have been included before it. */
  fromStart: boolean;
  lines: Readonly<Record<BlobKind, DaLine>>;
}

/** How far one node's blocks are recorded without a gap and included. */
export interface InclusionWalk extends StandingWalk {
  firstHeight: bigint;
  /** The last height of the walk; `firstHeight - 1` before it has begun. */
  frontier: bigint;
  /** Heights that the node did not return, or that it dropped before they were included; ascending, not touching. */
  gaps: readonly HeightSpan[];
}

/** Both ends are included. */
export interface HeightSpan {
  readonly from: bigint;
  readonly to: bigint;
}
/** DA heights, both ends included, and the block heights from the first skipped one to the last before the hole ends. */
export interface DaGap {
  readonly from: bigint;
  readonly to: bigint | null;
  readonly first: bigint;
  readonly last: bigint | null;
}

/**
 * Most gaps. Beyond this the oldest behind the walk are joined: their content stays undecided. A node with more gaps ahead
 * of its walk is not worth following.
 */
const MOST_GAPS = 500;
/** Most holes. Beyond this the oldest are joined: the heights between them stay undecided, too. */
const MOST_HOLES = 500;

/** The part of a block that the walk needs. */
export interface WalkedBlock {
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  /** Without transactions the block posts no data. */
  readonly txCount: number;
}

const NOTHING_SEEN: DaLine = { from: null, to: null, holes: [] };

/** A walk that begins just before a height. */
export function startWalk(firstHeight: bigint, fromStart: boolean): InclusionWalk {
  const lines = { HEADER: NOTHING_SEEN, DATA: NOTHING_SEEN };
  return { firstHeight, fromStart, frontier: firstHeight - 1n, lines, gaps: [] };
}

/** Whether all blobs of a block are included; without transactions there is only the header's. */
function isIncluded(block: WalkedBlock): boolean {
  return block.headerDaHeight !== null && (block.dataDaHeight !== null || block.txCount === 0);
}

/** Records heights that the node did not return, or dropped. Heights that the walk has passed are ignored. */
export function addGap(walk: InclusionWalk, { from, to }: HeightSpan): void {
  if (to <= walk.frontier) return;
  const gaps = joined([...walk.gaps, { from: from > walk.frontier ? from : walk.frontier + 1n, to }]);
  const bounded = limitGaps(gaps, walk.frontier);
  if (bounded.length <= MOST_GAPS) walk.gaps = bounded;
}

/** Restarts a walk at lower blocks, lowest first. Heights between them and the previous lowest height are gaps. */
export function lowerWalk(walk: InclusionWalk, given: readonly bigint[], fromStart: boolean): void {
  const [first = walk.firstHeight] = given;
  const below: HeightSpan[] = [];
  let next = first;
  for (const height of [...given, walk.firstHeight]) {
    if (height > next) below.push({ from: next, to: height - 1n });
    next = height + 1n;
  }
  const gaps = limitGaps(joined([...below, ...walk.gaps]), walk.firstHeight);
  Object.assign(walk, startWalk(first, fromStart), { gaps });
}

/**
 * Takes a block that the node returned after the walk had skipped its height. Once each block of a hole is included, the
 * hole is closed.
 */
export function fillGap(walk: InclusionWalk, height: bigint, block: WalkedBlock): void {
  const gap = walk.gaps.find(({ from, to }) => from <= height && height <= to);
  if (!gap || height > walk.frontier || !isIncluded(block)) return;
  const rest = [
    { from: gap.from, to: height - 1n },
    { from: height + 1n, to: gap.to },
  ].filter(({ from, to }) => from <= to);
  walk.gaps = walk.gaps.flatMap((each) => (each === gap ? rest : [each]));
  const { HEADER, DATA } = walk.lines;
  walk.lines = {
    HEADER: filled(HEADER, block.headerDaHeight, walk),
    DATA: filled(DATA, block.txCount === 0 ? null : block.dataDaHeight, walk),
  };
}

function filled(
  { from, to, holes }: DaLine,
  daHeight: bigint | null,
  { gaps, frontier }: InclusionWalk,
): DaLine {
  const isOpen = ({ first, last }: DaGap): boolean =>
    gaps.some((gap) => gap.from <= (last ?? frontier) && gap.to >= first);
  return { from: from ?? daHeight, to: highest(to, daHeight), holes: holes.filter(isOpen) };
}

function joined(ranges: readonly HeightSpan[]): HeightSpan[] {
  const merged: HeightSpan[] = [];
  for (const next of [...ranges].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = merged.at(-1);
    if (!last || next.from > last.to + 1n) merged.push(next);
    else if (next.to > last.to) merged[merged.length - 1] = { from: last.from, to: next.to };
  }
  return merged;
}

function limitGaps(gaps: HeightSpan[], frontier: bigint): readonly HeightSpan[] {
  for (let [first, second] = gaps; gaps.length > MOST_GAPS && first && second; [first, second] = gaps) {
    if (second.to > frontier) break;
    gaps.splice(0, 2, { from: first.from, to: second.to });
  }
  return gaps;
}

/**
 * Advances over blocks that are known and included, and over gaps. Returns whether the walk moved.
 *
 * A gap may contain blocks that were recorded before they were given up. It is skipped whole, so that the result does not
 * depend on which of them are available.
 */
export function advanceWalk(walk: InclusionWalk, find: (height: bigint) => WalkedBlock | undefined): boolean {
  const before = walk.frontier;
  const ahead = walk.gaps.filter(({ to }) => to > before);
  for (;;) {
    const height = walk.frontier + 1n;
    const gap = ahead.find(({ from, to }) => from <= height && height <= to);
    const block = gap ? undefined : find(height);
    if (gap) stepOver(walk, gap);
    else if (block && isIncluded(block)) step(walk, block);
    else return walk.frontier !== before;
  }
}

function step(walk: InclusionWalk, block: WalkedBlock): void {
  const { HEADER, DATA } = walk.lines;
  const { frontier } = walk;
  walk.frontier += 1n;
  walk.lines = {
    HEADER: seen(HEADER, block.headerDaHeight, frontier),
    DATA: block.txCount === 0 ? DATA : seen(DATA, block.dataDaHeight, frontier),
  };
}

/** @param last the height before the block */
function seen({ from, to, holes }: DaLine, daHeight: bigint | null, last: bigint): DaLine {
  return { from: from ?? daHeight, to: highest(to, daHeight), holes: endHole(holes, daHeight, to, last) };
}

function stepOver(walk: InclusionWalk, gap: HeightSpan): void {
  const { HEADER, DATA } = walk.lines;
  const first = walk.frontier + 1n;
  walk.frontier = gap.to;
  walk.lines = {
    HEADER: { ...HEADER, holes: beginHole(HEADER, first) },
    DATA: { ...DATA, holes: beginHole(DATA, first) },
  };
}

/** An open hole also covers the heights that are skipped next. */
function beginHole({ holes, to: lastDa }: DaLine, first: bigint): readonly DaGap[] {
  if (holes.at(-1)?.to === null) return holes;
  return addHole(holes, { from: lastDa ?? 0n, to: null, first, last: null });
}

/**
 * Skipped blobs were posted between the blocks around them. DA heights rise from block to block as a rule. If the block
 * after a hole points lower than one before it, the order is lost. Missing blobs may then lie as low as the lowest block
 * there. The order is restored at the first block that points as high as all before it: there the hole ends.
 */
function endHole(
  holes: readonly DaGap[],
  daHeight: bigint | null,
  highestBefore: bigint | null,
  lastHeight: bigint,
): readonly DaGap[] {
  const open = holes.at(-1);
  if (!open || open.to !== null || daHeight === null) return holes;
  const from = daHeight < open.from ? daHeight : open.from;
  const isInOrder = highestBefore === null || daHeight >= highestBefore;
  const end = isInOrder ? { to: daHeight, last: lastHeight } : { to: null, last: null };
  return addHole(holes.slice(0, -1), { ...open, from, ...end });
}

/** Adds a hole that reaches at least as high as all others, and joins it with those that it touches. */
function addHole(holes: readonly DaGap[], hole: DaGap): readonly DaGap[] {
  const kept = [...holes];
  let { from, first } = hole;
  for (let last = kept.at(-1); last && last.to !== null && last.to + 1n >= from; last = kept.at(-1)) {
    if (last.from < from) from = last.from;
    ({ first } = last);
    kept.pop();
  }
  kept.push({ ...hole, from, first });
  const [oldest, next] = kept;
  if (kept.length > MOST_HOLES && oldest && next)
    kept.splice(0, 2, { ...next, from: oldest.from, first: oldest.first });
  return kept;
}

/**
 * Position of a DA height for blobs of one kind. Submissions of a kind follow each other, so once a later block points to a
 * higher DA height, all blocks that point to a lower one are known.
 *
 * `PASSED`: all of them are known. `BEYOND`: there may be more. `BEFORE`: they lie, or may lie, in a gap or before the
 * first recorded block. Then only a walk that began lower, or another node's walk, can decide.
 */
export type WalkPosition = 'PASSED' | 'BEYOND' | 'BEFORE';

export function walkPositionOf(
  walks: readonly StandingWalk[],
  kind: BlobKind,
  daHeight: bigint,
): WalkPosition {
  let stand: WalkPosition | undefined;
  for (const { fromStart, lines } of walks) {
    const { from, to, holes } = lines[kind];
    if (from === null || to === null || daHeight >= to) stand = 'BEYOND';
    else if ((fromStart || daHeight > from) && !isInHole(holes, daHeight)) return 'PASSED';
    else stand ??= 'BEFORE';
  }
  return stand ?? 'BEYOND';
}

function isInHole(holes: readonly DaGap[], daHeight: bigint): boolean {
  return holes.some(({ from, to }) => from <= daHeight && (to === null || daHeight <= to));
}

function highest(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b > a) ? b : a;
}
