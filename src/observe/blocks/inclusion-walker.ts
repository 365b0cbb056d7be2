import type { BlockDraft } from '../../domain/blocks/block-draft.js';
import { heightsAfter, lowestHeight, removeHeights } from '../../domain/blocks/height-ranges.js';
import type { Refused } from '../../node-api/answer.js';
import { isRefused, REQUESTS_IN_FLIGHT, type BlockFetcher } from './block-fetcher.js';
import { daHeightsOf, isIncluded, limitPartial, type DaHeights, type LineageState } from './blocks-state.js';

/** Newly observed DA heights of a block, as an event lists them. */
type InclusionEntry = readonly [height: string, ...DaHeights];

export interface WalkResult {
  readonly heights: readonly InclusionEntry[];
  readonly known: LineageState;
  /** A pending block that the node shows differently now, so that its DA heights say nothing about the recorded one. */
  readonly differing: bigint | null;
}

/** Bounds one poll; the next poll continues from there. */
const MOST_PER_POLL = 1_000;
/** While no pending block turns out included, polls probe one block this far ahead, with each distance in its turn. */
const PROBE_DISTANCES = [1, 2, 4, 8, 16, 32, 64];
/** The most hashes of pending blocks that are remembered, to make sure that DA heights come from the very same blocks. */
const MOST_HASHES = 10_000;

/** Walks up from the first block that lacks a DA height, as far as blocks turn out to be included. */
export class InclusionWalker {
  private isMoving = true;
  private probes = 0;
  private readonly hashes = new Map<bigint, string>();

  constructor(private readonly fetcher: BlockFetcher) {}

  /** Whether blocks are pending and the last walk found no DA heights. */
  get isStalled(): boolean {
    return !this.isMoving;
  }

  /** Remembers the recorded hashes, to recognise blocks of another fork at the same heights. */
  noteRecorded(drafts: readonly BlockDraft[]): void {
    for (const { height, hash, content } of drafts) {
      if (hash !== null && !isIncluded(content)) this.hashes.set(height, hash);
    }
    for (const height of this.hashes.keys()) {
      if (this.hashes.size <= MOST_HASHES) break;
      this.hashes.delete(height);
    }
  }

  /** Forgets all remembered hashes: the blocks at those heights may have changed. */
  reset(): void {
    this.hashes.clear();
    this.isMoving = true;
  }

  /** @param upTo blocks above this height were fetched in this very poll */
  async walk(known: LineageState, upTo: bigint, signal: AbortSignal): Promise<WalkResult> {
    const seen: WalkFindings = { included: [], heights: [], partial: { ...known.partial }, differing: null };
    const lowest = lowestHeight(known.pending);
    if (lowest === null || lowest > upTo) {
      this.isMoving = true;
      return { heights: [], known, differing: null };
    }
    const pending = (after: bigint, limit: number): bigint[] =>
      heightsAfter(known.pending, after, limit).filter((height) => height <= upTo);
    let batch = pending(lowest - 1n, this.isMoving ? REQUESTS_IN_FLIGHT : 1);
    let asked = 0;
    let probe: bigint | null = null;
    while (batch.length > 0 && asked < MOST_PER_POLL && !signal.aborted) {
      const isLastIncluded = this.readAll(known, batch, await this.fetcher.fetchEach(batch, signal), seen);
      asked += batch.length;
      const highest: bigint = batch.at(-1) ?? lowest;
      if (isLastIncluded || (probe !== null && highest < probe)) batch = pending(highest, REQUESTS_IN_FLIGHT);
      else if (seen.heights.length > 0 || probe !== null) break;
      else {
        probe = await this.probe(known, pending(highest, this.probeDistance()), signal);
        batch = probe === null ? [] : pending(highest, REQUESTS_IN_FLIGHT);
      }
    }
    this.isMoving = seen.heights.length > 0;
    return { heights: seen.heights, known: after(known, seen), differing: seen.differing };
  }

  private probeDistance(): number {
    return PROBE_DISTANCES[this.probes++ % PROBE_DISTANCES.length] ?? 1;
  }

  /** Fetches the last of the heights and returns it if it is included although lower ones are not. */
  private async probe(
    known: LineageState,
    ahead: readonly bigint[],
    signal: AbortSignal,
  ): Promise<bigint | null> {
    const height = ahead.at(-1);
    if (height === undefined) return null;
    const result = await this.fetcher.fetchOne(height, signal);
    return isSame(known, result) && isIncluded(result.content) ? height : null;
  }

  /** @returns whether the last one of the batch was included */
  private readAll(
    known: LineageState,
    batch: readonly bigint[],
    results: readonly (BlockDraft | Refused)[],
    seen: WalkFindings,
  ): boolean {
    let isLastIncluded = false;
    for (const [index, height] of batch.entries()) {
      const result = results[index];
      isLastIncluded = false;
      if (!result || !isSame(known, result)) continue;
      const recorded = this.hashes.get(height);
      if (recorded !== undefined && result.hash !== null && recorded !== result.hash) {
        seen.differing ??= height;
        continue;
      }
      isLastIncluded = isIncluded(result.content);
      this.read(height, result, seen, isLastIncluded);
    }
    return isLastIncluded;
  }

  private read(height: bigint, draft: BlockDraft, seen: WalkFindings, isDone: boolean): void {
    const key = String(height);
    const heights = daHeightsOf(draft.content);
    const before = seen.partial[key];
    const isNew =
      (heights[0] !== null || heights[1] !== null) &&
      (before?.[0] !== heights[0] || before[1] !== heights[1]);
    if (isNew || isDone) seen.heights.push([key, ...heights]);
    if (isDone) {
      seen.included.push(height);
      delete seen.partial[key];
      this.hashes.delete(height);
    } else if (isNew) {
      seen.partial[key] = heights;
    }
  }
}

interface WalkFindings {
  readonly included: bigint[];
  readonly heights: InclusionEntry[];
  readonly partial: Record<string, DaHeights>;
  differing: bigint | null;
}

/** A block of another chain says nothing about ours. */
function isSame(known: LineageState, result: BlockDraft | Refused): result is BlockDraft {
  return !isRefused(result) && (result.content.header.chainId || known.chain) === known.chain;
}

function after(known: LineageState, seen: WalkFindings): LineageState {
  if (seen.heights.length === 0) return known;
  return {
    ...known,
    pending: removeHeights(known.pending, seen.included),
    partial: limitPartial(seen.partial),
  };
}
