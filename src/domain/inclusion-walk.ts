/** The two kinds of blobs that a block gives rise to. */
export type BlobKind = 'HEADER' | 'DATA';

/** How far one node's blocks are recorded without a gap and included, and the DA heights seen on the way. */
export interface InclusionWalk {
  /** The lowest recorded height. */
  firstHeight: bigint;
  /** Whether that is the first block of the chain: then nothing can have been included before it. */
  fromStart: boolean;
  /** The last height of the walk; `firstHeight - 1` before it has begun. */
  frontier: bigint;
  /** DA heights of the first header and the first data, and the highest of each; null before there is one. */
  headerFrom: bigint | null;
  headerTo: bigint | null;
  dataFrom: bigint | null;
  dataTo: bigint | null;
}

/** What the walk needs to know of a block. */
export interface WalkedBlock {
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  /** Whether it has transactions; without them it posts no data. */
  readonly hasData: boolean;
}

/** A walk that stands before a height. */
export function startWalk(firstHeight: bigint, fromStart: boolean): InclusionWalk {
  const nothing = { headerFrom: null, headerTo: null, dataFrom: null, dataTo: null };
  return { firstHeight, fromStart, frontier: firstHeight - 1n, ...nothing };
}

/** Both of a block's blobs are included; without transactions there is only the header's. */
export function isIncluded(block: WalkedBlock): boolean {
  return block.headerDaHeight !== null && (block.dataDaHeight !== null || !block.hasData);
}

/** Walks on over blocks that are known and included. True: it moved. */
export function advanceWalk(
  walk: InclusionWalk,
  find: (height: bigint) => WalkedBlock | undefined,
): boolean {
  const before = walk.frontier;
  for (;;) {
    const block = find(walk.frontier + 1n);
    if (!block || !isIncluded(block)) return walk.frontier !== before;
    walk.frontier += 1n;
    walk.headerFrom ??= block.headerDaHeight;
    walk.headerTo = highest(walk.headerTo, block.headerDaHeight);
    if (!block.hasData) continue;
    walk.dataFrom ??= block.dataDaHeight;
    walk.dataTo = highest(walk.dataTo, block.dataDaHeight);
  }
}

/**
 * Where a DA height lies, as far as blobs of one kind are concerned. Submissions of a kind follow each other, so once a
 * later block points to a higher DA height, all blocks that point to a lower one are known.
 *
 * `PASSED`: all of them are known. `BEYOND`: there may be more. `BEFORE`: they lie, or may lie, before the first
 * block that was recorded, so it will never be known.
 */
export type Stand = 'PASSED' | 'BEYOND' | 'BEFORE';

export function standOf(walks: readonly InclusionWalk[], kind: BlobKind, daHeight: bigint): Stand {
  let stand: Stand | undefined;
  for (const walk of walks) {
    const from = kind === 'HEADER' ? walk.headerFrom : walk.dataFrom;
    const to = kind === 'HEADER' ? walk.headerTo : walk.dataTo;
    if (from === null || to === null || daHeight >= to) stand = 'BEYOND';
    else if (walk.fromStart || daHeight > from) return 'PASSED';
    else stand ??= 'BEFORE';
  }
  return stand ?? 'BEYOND';
}

function highest(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || (b !== null && b > a) ? b : a;
}
