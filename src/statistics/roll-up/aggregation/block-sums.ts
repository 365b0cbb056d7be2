import { BlockStatisticEntity } from '../../../tables/statistics/block-statistic.entity.js';
import { sumsOf } from '../statistic.js';
import type { CarriedRow } from './carried-rows.js';
import type { Unit } from './unit.js';

/** The columns of `block_statistic` whose greatest value counts. */
export const BLOCK_HEIGHTS = ['lastHeight', 'headerFrontier', 'dataFrontier'] as const;
const OTHERS = ['grain', 'bucketAt', 'nodeKey', 'chain', 'lineageKey', ...BLOCK_HEIGHTS] as const;

/** The columns of `block_statistic` that are added up, as integers. */
export const BLOCK_SUMS = sumsOf(BlockStatisticEntity, OTHERS);
type BlockSum = (typeof BLOCK_SUMS)[number];

/** Sums of blocks, column by column those of the table `block_statistic`, which says what each of them means. */
export type BlockStatistic = Readonly<Omit<BlockStatisticEntity, 'grain' | 'bucketAt' | BlockSum>> &
  Readonly<Record<BlockSum, bigint>>;

/** A row of the statement of `block-rows.ts`. Sums may be more than a column takes. */
export interface BlockRow
  extends Pick<BlockStatisticEntity, 'chain' | 'lineageKey'>, Readonly<Record<BlockSum, bigint | string>> {
  readonly piece: number;
  readonly lastHeight: bigint;
}

/** Block sums that are being added up. */
type OpenBlockStatistic = { -readonly [Name in keyof BlockStatistic]: BlockStatistic[Name] };

/** Block sums of units that are being added up. The pieces of rows are whole units. */
export class BlockSums {
  private readonly byUnit: readonly Map<number, OpenBlockStatistic>[];

  constructor(private readonly units: readonly Unit[]) {
    this.byUnit = units.map(() => new Map());
  }

  of(unit: number): BlockStatistic[] {
    return [...(this.byUnit[unit]?.values() ?? [])];
  }

  addBlocks(row: BlockRow): void {
    const sum = this.open(row.piece, row.chain, row.lineageKey);
    for (const name of BLOCK_SUMS) sum[name] += BigInt(row[name]);
    sum.lastHeight = higher(sum.lastHeight, row.lastHeight);
  }

  /** How far the blocks reach that submissions carried. */
  addCarried({ piece, chain, lineageKey, height, isHeader }: CarriedRow): void {
    if (height === null || lineageKey === null) return;
    const sum = this.open(piece, chain, lineageKey);
    const frontier = isHeader ? 'headerFrontier' : 'dataFrontier';
    sum[frontier] = higher(sum[frontier], height);
  }

  private open(unit: number, chain: string, lineageKey: number): OpenBlockStatistic {
    const sums = this.byUnit[unit];
    const known = sums?.get(lineageKey);
    if (known) return known;
    const opened = {
      nodeKey: this.units[unit]?.nodeKey ?? 0,
      chain,
      lineageKey,
      ...(Object.fromEntries(BLOCK_SUMS.map((name) => [name, 0n])) as Record<BlockSum, bigint>),
      lastHeight: null,
      headerFrontier: null,
      dataFrontier: null,
    };
    sums?.set(lineageKey, opened);
    return opened;
  }
}

/** The greater height. */
function higher(known: bigint | null, height: bigint): bigint {
  return known !== null && known > height ? known : height;
}
