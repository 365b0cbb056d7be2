import { Sketch } from '../statistics/sketch.js';
import {
  type Micros,
  millisToMicros,
  millisToNanos,
  type Nanos,
  nanosToMicros,
  nanosToMillis,
} from '../time.js';
import type { BatchingPolicy } from './batching-policy.js';
import { BlobPacking, type Load } from './blob-packing.js';
import type { MeasuredBlock } from './measured-block.js';
import { feeOf, gasOf } from './pay-for-blobs.js';
import type { Prices } from './price-book.js';

export interface WhatIfResult {
  readonly blocks: number;
  /** Blocks with unknown sizes: they count towards the length of a batch, and nowhere else. */
  readonly unmeasured: number;
  readonly submissions: number;
  readonly blobs: number;
  readonly sizeBytes: bigint;
  readonly gas: bigint;
  /** utia, each submission rounded up; only submissions that have a price. */
  readonly fee: bigint;
  /** Submissions at a time without a known gas price; not in `fee`. */
  readonly unpriced: number;
  /** Submissions of one blob that is larger than the limit. */
  readonly oversized: number;
  /** Milliseconds from a block's time to its inclusion: one value for each header blob, one for each data blob. */
  readonly lagMs: Sketch;
}

interface OpenBatch {
  blocks: number;
  /** For a batch that closes with its last block: the latest block time so far. */
  closesNs: Nanos;
  /** For the same kind of batch: the blocks whose lag is known when it closes. */
  readonly waiting: { readonly timeNs: Nanos; readonly blobs: number }[];
}

/**
 * Batches blocks as a policy would have, one block at a time, in the order of their heights.
 *
 * The lag of a block is the close of its batch minus its own time, plus the time that the policy assumes for the
 * submission. A batch that counts blocks also ends at a gap in the heights, with the block before the gap. The last batch
 * is sent as it is. Each submission is priced at the time of its inclusion.
 */
export class WhatIf {
  private readonly headers: BlobPacking;
  private readonly data: BlobPacking;
  private readonly sums = {
    blocks: 0,
    unmeasured: 0,
    submissions: 0,
    blobs: 0,
    sizeBytes: 0n,
    gas: 0n,
    fee: 0n,
    unpriced: 0,
    oversized: 0,
  };
  private readonly lagMs = Sketch.empty();
  private batch: OpenBatch | undefined;
  private lastHeight: bigint | undefined;

  constructor(
    private readonly policy: BatchingPolicy,
    private readonly pricesAt: (us: Micros) => Prices,
  ) {
    this.headers = new BlobPacking(policy.maxBytes);
    this.data = new BlobPacking(policy.maxBytes);
  }

  add(block: MeasuredBlock): void {
    const { every } = this.policy;
    if (!this.takesIn(block)) this.close();
    this.lastHeight = block.height;
    this.batch ??= { blocks: 0, closesNs: closeOf(block.timeNs, every), waiting: [] };
    this.batch.blocks += 1;
    if ('blocks' in every && block.timeNs > this.batch.closesNs) this.batch.closesNs = block.timeNs;
    this.put(this.batch, block);
    if ('blocks' in every && this.batch.blocks >= every.blocks) this.close();
  }

  /** Ends a history: the next blocks belong to another one, whose heights begin again. */
  endHistory(): void {
    this.close();
    this.lastHeight = undefined;
  }

  /** Result of all blocks so far; the open batch is sent as it is. */
  finish(): WhatIfResult {
    this.close();
    return { ...this.sums, lagMs: this.lagMs };
  }

  /** Whether a block belongs to the open batch. */
  private takesIn({ height, timeNs }: MeasuredBlock): boolean {
    if (this.batch === undefined) return true;
    return 'ms' in this.policy.every ? timeNs < this.batch.closesNs : height - 1n === this.lastHeight;
  }

  private put(batch: OpenBatch, { timeNs, blobs }: MeasuredBlock): void {
    this.sums.blocks += 1;
    if (blobs === null) {
      this.sums.unmeasured += 1;
      return;
    }
    this.headers.add(blobs.header);
    if (blobs.data) this.data.add(blobs.data);
    const count = blobs.data ? 2 : 1;
    // The close of a batch by the clock is known from its start, and the batch may hold very many blocks.
    if ('ms' in this.policy.every) this.noteLag(batch.closesNs - timeNs, count);
    else batch.waiting.push({ timeNs, blobs: count });
  }

  private noteLag(waitedNs: Nanos, blobs: number): void {
    this.lagMs.add(nanosToMillis(waitedNs) + this.policy.submissionMs, blobs);
  }

  private close(): void {
    if (this.batch === undefined) return;
    const { closesNs, waiting } = this.batch;
    this.batch = undefined;
    for (const { timeNs, blobs } of waiting) this.noteLag(closesNs - timeNs, blobs);
    const loads = this.policy.joined
      ? this.headers.takeWith(this.data)
      : [...this.headers.take(), ...this.data.take()];
    const prices = this.pricesAt(nanosToMicros(closesNs) + millisToMicros(this.policy.submissionMs));
    for (const load of loads) this.charge(load, prices);
  }

  private charge({ blobs, bytes, shares, signedShares }: Load, { schedule, gasPrice }: Prices): void {
    const gas = gasOf(BigInt(schedule.signer ? signedShares : shares), BigInt(blobs), schedule);
    this.sums.submissions += 1;
    this.sums.blobs += blobs;
    this.sums.sizeBytes += BigInt(bytes);
    this.sums.gas += gas;
    if (bytes > this.policy.maxBytes) this.sums.oversized += 1;
    if (gasPrice === null) this.sums.unpriced += 1;
    else this.sums.fee += feeOf(gas, gasPrice);
  }
}

function closeOf(timeNs: Nanos, every: BatchingPolicy['every']): Nanos {
  if (!('ms' in every)) return timeNs;
  const intervalNs = millisToNanos(every.ms);
  return (timeNs / intervalNs + 1n) * intervalNs;
}
