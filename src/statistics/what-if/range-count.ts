import { greatest, least } from '../../domain/collections.js';
import type { Nanos } from '../../domain/time.js';
import type { WhatIfBlock } from './recorded-blocks.query.js';

export type RangeFigures = Omit<RangeCount, 'add' | 'endHistory'>;

/** Counts blocks, one at a time, by rising height within each history. */
export class RangeCount {
  blocks = 0;
  /** Heights between the first and the last recorded height of each history that were never seen. */
  blocksMissing = 0n;
  /** Blocks whose header or data is not known to be on the DA layer yet. */
  blocksNotIncluded = 0;
  transactions = 0n;
  /** Times of the earliest and the latest block; null without any. */
  coveredFromNs: Nanos | null = null;
  coveredToNs: Nanos | null = null;
  #lastHeight: bigint | undefined;

  add({ height, timeNs, txCount, isIncluded }: WhatIfBlock): void {
    this.blocks += 1;
    if (this.#lastHeight !== undefined) this.blocksMissing += height - this.#lastHeight - 1n;
    this.#lastHeight = height;
    this.transactions += BigInt(txCount);
    if (!isIncluded) this.blocksNotIncluded += 1;
    this.coveredFromNs = least(timeNs, this.coveredFromNs);
    this.coveredToNs = greatest(timeNs, this.coveredToNs);
  }

  endHistory(): void {
    this.#lastHeight = undefined;
  }
}
