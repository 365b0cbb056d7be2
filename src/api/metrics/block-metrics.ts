import { Histogram, type Registry } from 'prom-client';
import { readInteger } from '../../domain/bounds.js';
import { unpackIntegers, valueAt } from '../../domain/blocks/packed-columns.js';
import type { BlockEvents, NewEvent } from '../../domain/events.js';
import { toPrintable } from '../../domain/printable-text.js';
import { nanosToMillis, type Millis, type Nanos } from '../../domain/time.js';
import { LONGEST_LABEL } from './metric-table.js';

/** From a chain with ten blocks a second to an inclusion that takes hours. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600];
/** Blocks of a node whose inclusion is waited for; of further ones the oldest is given up. */
const MOST_WAITING = 2_000;
/** A longer time says that a node's clock is wrong, and would ruin the sum. */
const LONGEST_MS: Millis = 86_400_000;

/** The blocks of a node that this process has seen. */
interface SeenBlocks {
  last: { readonly height: bigint; readonly time: Nanos } | undefined;
  /** Blocks that are not included yet, by height, oldest first. */
  readonly waiting: Map<bigint, WaitingBlock>;
}

interface WaitingBlock {
  readonly time: Nanos;
  /** Without transactions there are no data to include. */
  readonly isEmpty: boolean;
}

/** Measures blocks as this process records them: people write their objectives on such histograms. */
export class BlockMetrics {
  private readonly blockTimes = histogram(
    'hindsight_block_time_seconds',
    'Time from a block of the node to its next block, by their own times, for consecutive blocks that this process recorded.',
  );
  private readonly inclusions = histogram(
    'hindsight_inclusion_seconds',
    "Time from a block's own time until this process saw header and data included, for blocks that it had seen before.",
  );
  private readonly seen = new Map<string, SeenBlocks>();

  recorded(node: string, event: NewEvent): void {
    if (event.type !== 'BlocksObserved' && event.type !== 'BlockInclusionObserved') return;
    const seen = this.seen.get(node) ?? { last: undefined, waiting: new Map<bigint, WaitingBlock>() };
    this.seen.set(node, seen);
    if (event.type === 'BlocksObserved') this.recordBlocks(node, seen, event.body);
    else this.recordInclusion(node, seen, event.body, event.observedAt);
  }

  register(registry: Registry): void {
    registry.registerMetric(this.blockTimes);
    registry.registerMetric(this.inclusions);
  }

  private recordBlocks(node: string, seen: SeenBlocks, body: BlockEvents['BlocksObserved']): void {
    const from = readInteger(body.from) ?? 0n;
    const heights = body.heights && unpackIntegers(body.heights);
    const headers = body.headerDaHeights && unpackIntegers(body.headerDaHeights);
    const data = body.dataDaHeights && unpackIntegers(body.dataDaHeights);
    for (const [index, time] of unpackIntegers(body.times).entries()) {
      const height = heights ? heights[index] : from + BigInt(index);
      if (typeof height !== 'bigint' || time === null) continue;
      const { last } = seen;
      if (last?.height === height - 1n) this.observe(this.blockTimes, node, nanosToMillis(time - last.time));
      seen.last = { height, time };
      const isEmpty = valueAt(body.txCounts, index, -1) === 0;
      const hasData = isEmpty || typeof data?.[index] === 'bigint';
      if (typeof headers?.[index] !== 'bigint' || !hasData) seen.waiting.set(height, { time, isEmpty });
    }
    for (const height of seen.waiting.keys()) {
      if (seen.waiting.size <= MOST_WAITING) break;
      seen.waiting.delete(height);
    }
  }

  private recordInclusion(
    node: string,
    { waiting }: SeenBlocks,
    { heights }: BlockEvents['BlockInclusionObserved'],
    at: Millis,
  ): void {
    for (const [text, header, data] of heights) {
      const height = readInteger(text) ?? -1n;
      const block = waiting.get(height);
      if (block === undefined || header === null || (data === null && !block.isEmpty)) continue;
      waiting.delete(height);
      this.observe(this.inclusions, node, at - nanosToMillis(block.time));
    }
  }

  /** A time below 0, or of more than a day, measures a clock. */
  private observe(histogram: Histogram, node: string, ms: Millis): void {
    if (ms >= 0 && ms <= LONGEST_MS)
      histogram.observe({ node: toPrintable(node, LONGEST_LABEL) }, ms / 1_000);
  }
}

function histogram(name: string, help: string): Histogram {
  return new Histogram({ name, help, labelNames: ['node'], buckets: SECONDS, registers: [] });
}
