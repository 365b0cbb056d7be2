import type { RecordedEvent } from '../../../src/domain/events.js';
import {
  addGap,
  advanceWalk,
  fillGap,
  lowerWalk,
  walkPositionOf,
  startWalk,
  type BlobKind,
  type HeightSpan,
  type InclusionWalk,
  type WalkPosition,
  type WalkedBlock,
} from '../../../src/domain/evidence/inclusion-walk.js';
import { waitingOf } from './list-lives.js';
import { chainOf, KnownLog, type KnownBlock, type KnownBlocks, type KnownNode } from './known-log.js';

export const KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];
/** How long an unreachable list may still come back to explain something. */
const PATIENCE_MS = 600_000;

/** The frontier of each history, per kind, at the end of a log. */
export interface Frontier {
  /** The state of a DA height: `PASSED` only once it is decided, and then forever (point 2). */
  readonly standAt: (history: string, kind: BlobKind, daHeight: bigint) => WalkPosition;
  /** The time when the walks passed it, in milliseconds of the observer's clock. */
  readonly passedAt: (history: string, kind: BlobKind, daHeight: bigint) => number | null;
}

/**
 * Reads the log, and notes for each DA height when the walks passed it, and whether every available list of the chain was polled
 * since. Both must hold at one position; this is never taken back (point 2).
 *
 * @param daHeights the DA heights of interest
 */
export function readFrontier(events: readonly RecordedEvent[], daHeights: ReadonlySet<bigint>): Frontier {
  const log = new KnownLog();
  const walks = new Map<KnownBlocks, InclusionWalk>();
  const passedAt = new Map<string, number>();
  const reachedAt = new Map<string, number>();
  const decided = new Set<string>();
  const reached = new Set<string>();
  for (const event of events) {
    log.read(
      event,
      (blocks, range) => addGapTo(walks.get(blocks), range),
      (blocks, heights) => fill(blocks, heights, walks),
    );
    const isOfBlocks = event.stream.endsWith('/blocks');
    if (isOfBlocks) for (const blocks of log.shown) walkOn(blocks, walks);
    for (const history of new Set(log.shown.map((blocks) => blocks.history))) {
      const lookedAt = polledThrough(log, chainOf(history));
      const all = walksOf(history, walks);
      for (const daHeight of daHeights) {
        for (const kind of KINDS) {
          const name = `${history} ${kind} ${daHeight}`;
          const stand = isOfBlocks ? walkPositionOf(all, kind, daHeight) : 'BEYOND';
          const at = Number(event.observedAt / 1_000n);
          if (stand !== 'BEYOND' && !reachedAt.has(name)) reachedAt.set(name, at);
          if (stand === 'PASSED' && !passedAt.has(name)) passedAt.set(name, at);
          if (lookedAt > (reachedAt.get(name) ?? Infinity)) reached.add(name);
          if (lookedAt > (passedAt.get(name) ?? Infinity)) decided.add(name);
        }
      }
    }
  }
  return {
    passedAt: (history, kind, daHeight) => passedAt.get(`${history} ${kind} ${daHeight}`) ?? null,
    standAt: (history, kind, daHeight) => {
      const name = `${history} ${kind} ${daHeight}`;
      if (decided.has(name)) return 'PASSED';
      if (!reached.has(name)) return 'BEYOND';
      return walkPositionOf(walksOf(history, walks), kind, daHeight) === 'BEFORE' ? 'BEFORE' : 'BEYOND';
    },
  };
}

function walksOf(history: string, walks: ReadonlyMap<KnownBlocks, InclusionWalk>): InclusionWalk[] {
  return [...walks].filter(([blocks]) => blocks.history === history).map(([, walk]) => walk);
}

/**
 * A node's walk begins at its lowest block, and starts again when a lower one is recorded. Blocks that it stepped over fill its
 * gaps.
 */
function fill(shown: KnownBlocks, heights: readonly bigint[], walks: Map<KnownBlocks, InclusionWalk>): void {
  const { blocks } = shown;
  const [first] = [...blocks.values()].sort((a, b) => (a.height < b.height ? -1 : 1));
  if (!first) return;
  const walk = walks.get(shown) ?? startWalk(first.height, first.isChainStart);
  walks.set(shown, walk);
  const lower = heights.filter((height) => height < walk.firstHeight && blocks.has(height));
  if (lower.length > 0)
    lowerWalk(
      walk,
      [...lower].sort((a, b) => (a < b ? -1 : 1)),
      first.isChainStart,
    );
  for (const height of heights) {
    const block = walked(blocks.get(height));
    if (block) fillGap(walk, height, block);
  }
}

/** A walk continues as far as blocks are included. */
function walkOn(shown: KnownBlocks, walks: ReadonlyMap<KnownBlocks, InclusionWalk>): void {
  const walk = walks.get(shown);
  if (walk) advanceWalk(walk, (height) => walked(shown.blocks.get(height)));
}

function walked(block: KnownBlock | undefined): WalkedBlock | undefined {
  return block && { ...block, txCount: Number(block.hasData) };
}

/** A gap that a walk has passed, or has not begun for, does not change it. */
function addGapTo(walk: InclusionWalk | undefined, gap: HeightSpan): void {
  if (walk) addGap(walk, gap);
}

/**
 * The time up to which every available list of a chain has been polled, by the observer's clock (point 2). It does not wait for
 * retired nodes, for lists that are not offered, for lists that have been unreachable for ten minutes, or for lists never seen. A
 * list whose rows have no chain yet may belong to this chain, and is waited for as long.
 */
function polledThrough(log: KnownLog, chain: string): number {
  const nodes = [...log.nodes.values()].filter((node) => !node.isRetired && node.chain === chain);
  const now = Math.max(...nodes.map(({ lookedAt }) => lookedAt));
  const waitedFor = nodes.filter((node) => {
    const { state, stateAt, seenAt } = node;
    const waiting = state === null ? undefined : waitingOf(node);
    if (waiting) return now - waiting.waitsAt <= PATIENCE_MS;
    if (state === null || state === 'AVAILABLE') return true;
    const isAway = state === 'UNREACHABLE' || state === 'INVALID';
    return isAway && seenAt > -Infinity && now - stateAt <= PATIENCE_MS;
  });
  const seenAtOf = (node: KnownNode) => (waitingOf(node) ?? { seenBefore: node.seenAt }).seenBefore;
  return Math.min(...waitedFor.map((node) => (node.state === null ? -Infinity : seenAtOf(node))));
}
