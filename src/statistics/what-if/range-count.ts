import type { Nanos } from '../../domain/time.js';
import type { WhatIfBlock } from './recorded-blocks.query.js';

export interface RangeFigures {
  readonly blocks: number;
  /** Heights between the first and the last recorded height of each history that were never seen. */
  readonly blocksMissing: bigint;
  /** Blocks whose header or data is not known to be on the DA layer yet. */
  readonly blocksNotIncluded: number;
  readonly transactions: bigint;
  /** Times of the earliest and the latest block; null without any. */
  readonly coveredFromNs: Nanos | null;
  readonly coveredToNs: Nanos | null;
}

/** Counts blocks, one at a time, by rising height within each history. */
export class RangeCount {
  blocks = 0;
  private missing = 0n;
  private notIncluded = 0;
  private transactions = 0n;
  private earliest: Nanos | null = null;
  private latest: Nanos | null = null;
  private lastHeight: bigint | undefined;

  add({ height, timeNs, txCount, isIncluded }: WhatIfBlock): void {
    this.blocks += 1;
    if (this.lastHeight !== undefined) this.missing += height - this.lastHeight - 1n;
    this.lastHeight = height;
    this.transactions += BigInt(txCount);
    if (!isIncluded) this.notIncluded += 1;
    if (this.earliest === null || timeNs < this.earliest) this.earliest = timeNs;
    if (this.latest === null || timeNs > this.latest) this.latest = timeNs;
  }

  endHistory(): void {
    this.lastHeight = undefined;
  }

  finish(): RangeFigures {
    return {
      blocks: this.blocks,
      blocksMissing: this.missing,
      blocksNotIncluded: this.notIncluded,
      transactions: this.transactions,
      coveredFromNs: this.earliest,
      coveredToNs: this.latest,
    };
  }
}
