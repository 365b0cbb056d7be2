import type { KnownBlock, KnownBlocks } from './known-log.js';

export type BlobKind = 'HEADER' | 'DATA';

/**
 * Where a DA height lies for a kind of blobs. `PASSED`: every block that can point there is known. `BEYOND`: there may be
 * more to come. `BEFORE`: some of them will never be known.
 */
export type Stand = 'PASSED' | 'BEYOND' | 'BEFORE';

/**
 * Where it lies by the blocks of all nodes: a node that knows all decides; else there may be more as long as one node can
 * still come to know them. All that it can be, where the order of the log would decide, which is not asked here.
 */
export function standsOf(all: readonly KnownBlocks[], kind: BlobKind, daHeight: bigint): ReadonlySet<Stand> {
  const walks = all
    .filter(({ blocks }) => blocks.size > 0)
    .map((known) => standsOfNode(known, kind, daHeight));
  const can = (stand: Stand) => walks.some((stands) => stands.has(stand));
  const must = (stand: Stand) => walks.some((stands) => stands.size === 1 && stands.has(stand));
  const result = new Set<Stand>();
  if (can('PASSED')) result.add('PASSED');
  if (must('PASSED')) return result;
  if (can('BEYOND') || walks.length === 0) result.add('BEYOND');
  if (!must('BEYOND') && can('BEFORE')) result.add('BEFORE');
  return result;
}

function standsOfNode(known: KnownBlocks, kind: BlobKind, daHeight: bigint): ReadonlySet<Stand> {
  // A height that was both shown and said to be missing, or a missing one around the first block: the order decides.
  const lowest = [...known.blocks.keys()].reduce((low, height) => (height < low ? height : low));
  const isTorn = known.missing.some(
    ({ from, to }) =>
      from <= lowest || [...known.blocks.keys()].some((height) => from <= height && height <= to),
  );
  if (known.isDisputed || isTorn) return new Set(['PASSED', 'BEYOND', 'BEFORE']);
  return new Set([standOf(walk(known, lowest), kind, daHeight, known.blocks.get(lowest)?.isFirst === true)]);
}

/** Blocks that are recorded and included from the lowest on; `null` stands for missing ones. */
function walk(known: KnownBlocks, lowest: bigint): (KnownBlock | null)[] {
  const way: (KnownBlock | null)[] = [];
  for (let height = lowest; ;) {
    const gap = known.missing.find(({ from, to }) => from <= height && height <= to);
    const block = known.blocks.get(height);
    if (gap) {
      way.push(null);
      height = gap.to + 1n;
    } else if (block && block.headerDa !== null && (block.dataDa !== null || !block.hasData)) {
      way.push(block);
      height += 1n;
    } else {
      return way;
    }
  }
}

function standOf(
  way: readonly (KnownBlock | null)[],
  kind: BlobKind,
  daHeight: bigint,
  isFromStart: boolean,
): Stand {
  const heights = way
    .filter((block) => block === null || kind === 'HEADER' || block.hasData)
    .map((block) => (block === null ? null : kind === 'HEADER' ? block.headerDa : block.dataDa));
  const shown = heights.filter((da) => da !== null);
  const highest = max(shown);
  // DA heights rise, so that all blocks that point to one are known when a later block points higher.
  if (highest === null || daHeight >= highest) return 'BEYOND';
  if (!isFromStart && daHeight <= (shown[0] ?? 0n)) return 'BEFORE';
  const isInHole = heights.some((da, index) => da === null && isWithin(heights, index, daHeight));
  return isInHole ? 'BEFORE' : 'PASSED';
}

/**
 * Whether a missing block may point to the DA height. It was posted after what came before it and before what came after;
 * where a block behind it points lower than one before, the order is lost up to the block that points as high as all
 * before that one, and what is missing may lie as low as any of them.
 */
function isWithin(heights: readonly (bigint | null)[], missing: number, daHeight: bigint): boolean {
  let from = max(heights.slice(0, missing)) ?? 0n;
  for (let index = missing + 1; index < heights.length; index++) {
    const da = heights[index];
    if (da === null || da === undefined) continue;
    if (da < from) from = da;
    const before = max(heights.slice(0, index));
    if (before === null || da >= before) return from <= daHeight && daHeight <= da;
  }
  return from <= daHeight;
}

function max(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce(
    (most, value) => (most === null || (value !== null && value > most) ? value : most),
    null,
  );
}
