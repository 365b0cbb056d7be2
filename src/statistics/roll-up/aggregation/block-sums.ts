import type { BlockRow } from './block-rows.js';
import {
  emptyBlockStatistic,
  higher,
  type BlockStatistic,
  type OpenBlockStatistic,
} from './block-statistic.js';
import type { CarriedRow } from './carried-rows.js';
import type { Unit } from './unit.js';

/** Block sums of units that are being added up. The pieces of rows are whole units. */
export class BlockSums {
  private readonly byUnit: readonly Map<string, OpenBlockStatistic>[];

  constructor(private readonly units: readonly Unit[]) {
    this.byUnit = units.map(() => new Map());
  }

  of(unit: number): BlockStatistic[] {
    return [...(this.byUnit[unit]?.values() ?? [])];
  }

  addBlocks(row: BlockRow): void {
    const sum = this.open(row.piece, row.chain, row.lineage_key);
    sum.produced += BigInt(row.produced);
    sum.included += BigInt(row.included);
    sum.transactions += BigInt(row.transactions);
    sum.includedTransactions += BigInt(row.included_transactions);
    sum.txBytes += BigInt(row.tx_bytes);
    sum.includedTxBytes += BigInt(row.included_tx_bytes);
    sum.lastHeight = higher(sum.lastHeight, BigInt(row.last_height));
  }

  /** How far the blocks reach that submissions carried. */
  addCarried(row: CarriedRow): void {
    if (row.height === null || row.lineage_key === null) return;
    const sum = this.open(row.piece, row.chain, row.lineage_key);
    const frontier = row.is_header ? 'headerFrontier' : 'dataFrontier';
    sum[frontier] = higher(sum[frontier], BigInt(row.height));
  }

  private open(unit: number, chain: string, lineageKey: number): OpenBlockStatistic {
    const sums = this.byUnit[unit];
    const name = `${lineageKey}`;
    const known = sums?.get(name);
    if (known) return known;
    const opened = emptyBlockStatistic({ nodeKey: this.units[unit]?.nodeKey ?? 0, chain, lineageKey });
    sums?.set(name, opened);
    return opened;
  }
}
