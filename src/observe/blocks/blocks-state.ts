import type { PreviousBlock } from '../../domain/blocks/block-draft.js';
import { extendLocator, type LocatorPoint } from '../../domain/blocks/block-locator.js';
import { addDebt, type BlockDebt } from '../../domain/blocks/block-debts.js';
import { addHeights, type HeightRanges } from '../../domain/blocks/height-ranges.js';
import type { BlockRecord } from '../../domain/blocks/block.js';
import type { DaySpending } from '../../domain/byte-budget.js';
import type { BlockEvents } from '../../domain/events.js';
import { NOTHING_PROVEN, type ProvenChecks, type VerifiedBlocks } from '../../domain/blocks/verify-block.js';
import type { Millis } from '../../domain/time.js';

/** The observer's state for one lineage of a chain. It is JSON, so heights are decimal strings. */
export interface LineageState {
  readonly chain: string;
  readonly lineage: number;
  readonly next: string;
  readonly previous: (Omit<PreviousBlock, 'height'> & { readonly height: string }) | null;
  readonly proven: ProvenChecks;
  readonly locator: readonly LocatorPoint[];
  /** Recorded blocks whose header or data still lacks a DA height. */
  readonly pending: HeightRanges;
  /** The pending blocks that have one of the two DA heights. */
  readonly partial: Readonly<Record<string, DaHeights>>;
  /** Skipped heights below `next`, ascending; absent in states written by older versions. */
  readonly debts?: readonly BlockDebt[];
  /** The node is known to show another lineage from this height on. */
  readonly leaves?: { readonly at: string; readonly to: number };
}

export type DaHeights = readonly [header: string | null, data: string | null];
export type NodeProgress = Omit<BlockEvents['NodeProgressObserved'], 'looks'>;

/** The state of a stream `<node>/blocks`. */
export interface BlocksState {
  /** The lineage that the node shows now, then the last few that it showed before. */
  readonly lineages: readonly LineageState[];
  readonly progress: { readonly at: Millis; readonly body: NodeProgress } | null;
  /** The node's spending of its daily share on texts (`spent`) and on blocks (`written`). */
  readonly spent?: DaySpending;
  readonly written?: DaySpending;
}

/** An address can lead to several nodes alternately, even to nodes of different chains. */
const LINEAGES_KEPT = 4;
const MOST_PARTIAL = 1_000;

export function newLineage(chain: string, lineage: number, next: bigint): LineageState {
  return {
    chain,
    lineage,
    next: String(next),
    previous: null,
    proven: NOTHING_PROVEN,
    locator: [],
    pending: [],
    partial: {},
  };
}

/** Makes a lineage the present one and replaces any earlier state with the same chain and number. */
export function withLineage(state: BlocksState | undefined, current: LineageState): BlocksState {
  const others = (state?.lineages ?? []).filter(
    ({ chain, lineage }) => chain !== current.chain || lineage !== current.lineage,
  );
  return {
    lineages: [current, ...others].slice(0, LINEAGES_KEPT),
    progress: state?.progress ?? null,
  };
}

export function findLineage(
  state: BlocksState | undefined,
  { chain, lineage }: Pick<LineageState, 'chain' | 'lineage'>,
): LineageState | undefined {
  return state?.lineages.find((each) => each.chain === chain && each.lineage === lineage);
}

/** The state after blocks were recorded. */
export function afterBlocks(known: LineageState, verified: VerifiedBlocks): LineageState {
  const { blocks, previous, proven } = verified;
  const last = blocks.at(-1);
  if (!last || !previous) return known;
  return {
    ...withPending(known, blocks),
    next: String(last.header.height + 1n),
    previous: { ...previous, height: String(previous.height) },
    proven,
    locator: extendLocator(
      known.locator,
      blocks.map(({ header, hash }) => ({ height: header.height, hash })),
    ),
  };
}

/** Adds the recorded blocks, lowest first, that still wait for their DA heights. */
export function withPending(known: LineageState, blocks: readonly BlockRecord[]): LineageState {
  const pending = blocks.filter((block) => !isIncluded(block));
  const partial = pending
    .filter(({ headerDaHeight, dataDaHeight }) => headerDaHeight !== null || dataDaHeight !== null)
    .map((block) => [String(block.header.height), daHeightsOf(block)] as const);
  return {
    ...known,
    pending: addHeights(
      known.pending,
      pending.map(({ header }) => header.height),
    ),
    partial: limitPartial({ ...known.partial, ...Object.fromEntries(partial) }),
  };
}

/** The state after the heights up to `next` were skipped: no link leads to them, and they become debts of the node. */
export function afterGap(known: LineageState, next: bigint, now: Millis): LineageState {
  const debts = addDebt(known.debts ?? [], [BigInt(known.next), next - 1n], now);
  return { ...known, next: String(next), previous: null, debts };
}

/** The block before the next one, in the form that the checks need. */
export function previousOf(known: LineageState): PreviousBlock | null {
  return known.previous && { ...known.previous, height: BigInt(known.previous.height) };
}

/** Whether a block's inclusion is fully known. A block without transactions has no data to include. */
export function isIncluded(block: Pick<BlockRecord, 'headerDaHeight' | 'dataDaHeight' | 'txCount'>): boolean {
  return block.headerDaHeight !== null && (block.dataDaHeight !== null || block.txCount === 0);
}

export function daHeightsOf(block: Pick<BlockRecord, 'headerDaHeight' | 'dataDaHeight'>): DaHeights {
  const text = (height: bigint | null): string | null => (height === null ? null : String(height));
  return [text(block.headerDaHeight), text(block.dataDaHeight)];
}

/** Drops the lowest heights: at worst a half-included block is reported once more with the same heights. */
export function limitPartial(partial: Record<string, DaHeights>): Record<string, DaHeights> {
  const heights = Object.keys(partial);
  if (heights.length <= MOST_PARTIAL) return partial;
  return Object.fromEntries(
    heights.slice(-MOST_PARTIAL).map((height) => [height, partial[height] as DaHeights]),
  );
}
