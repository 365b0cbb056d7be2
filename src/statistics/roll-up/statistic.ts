import { entryOf } from '../../domain/collections.js';
import { Decimal } from '../../domain/cost/decimal.js';
import { Sketch } from '../../domain/statistics/sketch.js';
import { declaredColumns, type TableClass } from '../../platform/rows/row-columns.js';
import { StatisticEntity } from '../../tables/statistics.entities.js';
import type { CarriedRow } from './aggregation/carried-rows.js';
import type { Unit } from './aggregation/unit.js';

/** Sums of units that are being added up. */
export class SumsByUnit<Key, Sum> {
  private readonly byUnit: readonly Map<Key, Sum>[];

  constructor(private readonly units: readonly Unit[]) {
    this.byUnit = units.map(() => new Map());
  }

  of(unit: number): Sum[] {
    return [...(this.byUnit[unit]?.values() ?? [])];
  }

  /** The sum of a key within a unit; makes an empty one if needed. */
  protected entry(unit: number, key: Key, make: (nodeKey: number) => Sum): Sum {
    const sums = this.byUnit[unit] ?? new Map<Key, Sum>();
    return entryOf(sums, key, () => make(this.units[unit]?.nodeKey ?? 0));
  }
}

export class StatisticSums extends SumsByUnit<string, OpenStatistic> {
  open(unit: number, { chain, namespaceKey, kind, status }: Omit<StatisticKey, 'nodeKey'>): OpenStatistic {
    return this.entry(unit, `${namespaceKey} ${kind} ${status} ${chain}`, (nodeKey) =>
      emptyStatistic({ nodeKey, chain, namespaceKey, kind, status }),
    );
  }

  /** Adds values of distributions; the piece is a whole unit. */
  addCarried(row: CarriedRow): void {
    const sum = this.open(row.piece, row);
    const n = Number(row.n);
    if (row.lagBin !== null) {
      sum.lagMs.addBin(row.lagBin, n, row.lagMax ?? 0);
      sum.lagCount += row.n;
      sum.lagSumNs += BigInt(row.lagSum ?? 0);
    }
    if (row.submissionBin !== null) {
      sum.submissionMs.addBin(row.submissionBin, n, row.submissionMax ?? 0);
      sum.submissionCount += row.n;
      sum.submissionSumUs += BigInt(row.submissionSum ?? 0);
    }
    if (row.sizeBin !== null) sum.blobBytes.addBin(row.sizeBin, n, row.sizeMax ?? 0);
  }
}

/** Identifies a statistic. The namespace key is 0 for rows without a namespace. */
type StatisticKey = Readonly<Pick<StatisticEntity, 'nodeKey' | 'chain' | 'namespaceKey' | 'kind' | 'status'>>;

/** Money in the unit of a fiat rate, and the number of submissions that it covers. */
export interface FiatSum {
  readonly min: Decimal;
  readonly max: Decimal;
  readonly count: bigint;
}

export const STATISTIC_SKETCHES = ['lagMs', 'submissionMs', 'blobBytes'] as const;

/** Columns of a statistic that are not integer sums. */
const OTHERS = [
  ...(['grain', 'bucketAt', 'nodeKey', 'chain', 'namespaceKey', 'kind', 'status'] as const),
  ...(['gasPriceMin', 'gasPriceSum', 'gasPriceMax', 'gasPriceLast', 'gasPriceLastAt', 'fiat'] as const),
  ...STATISTIC_SKETCHES,
] as const;

/** The columns of `statistic` that are added up, as integers. */
export const STATISTIC_SUMS = sumsOf(StatisticEntity, OTHERS);
export type StatisticSum = (typeof STATISTIC_SUMS)[number];

/** The columns of a table that are added up: all but `others`. */
export function sumsOf<Row, Other extends keyof Row>(
  table: TableClass<Row>,
  others: readonly Other[],
): Exclude<keyof Row, Other>[] {
  return declaredColumns(table)
    .map(({ property }) => property as Exclude<keyof Row, Other>)
    .filter((property) => !(others as readonly unknown[]).includes(property));
}

/**
 * Sums of submissions, with the columns of the table `statistic`, which documents each of them. Counts, bytes, shares and gas
 * are integers; fees are utia; gas prices utia per gas.
 */
export interface Statistic
  extends
    StatisticKey,
    Readonly<Record<StatisticSum, bigint>>,
    Readonly<Pick<StatisticEntity, 'gasPriceLastAt'>> {
  readonly gasPriceMin: Decimal | null;
  readonly gasPriceSum: Decimal;
  readonly gasPriceMax: Decimal | null;
  /** The gas price of the latest attempt that has one; the highest if several have the same moment. */
  readonly gasPriceLast: Decimal | null;
  readonly fiat: ReadonlyMap<string, FiatSum>;
  readonly lagMs: Sketch;
  readonly submissionMs: Sketch;
  readonly blobBytes: Sketch;
}

export type OpenStatistic = { -readonly [Name in keyof Statistic]: Statistic[Name] } & {
  fiat: Map<string, FiatSum>;
};

/**
 * A statistic of nothing, with all of its columns: on Node 20, copying such an object is two hundred times as fast as adding so
 * many columns to a new one.
 */
const NOTHING: Statistic = {
  ...(Object.fromEntries(STATISTIC_SUMS.map((name) => [name, 0n])) as Record<StatisticSum, bigint>),
  nodeKey: 0,
  chain: '',
  namespaceKey: 0,
  kind: 0,
  status: 0,
  gasPriceMin: null,
  gasPriceSum: Decimal.of(0n),
  gasPriceMax: null,
  gasPriceLast: null,
  gasPriceLastAt: null,
  fiat: new Map(),
  lagMs: Sketch.empty(),
  submissionMs: Sketch.empty(),
  blobBytes: Sketch.empty(),
};

function emptyStatistic(key: StatisticKey): OpenStatistic {
  return {
    ...NOTHING,
    ...key,
    fiat: new Map(),
    lagMs: Sketch.empty(),
    submissionMs: Sketch.empty(),
    blobBytes: Sketch.empty(),
  };
}

export function addFiat(fiat: Map<string, FiatSum>, unit: string, { min, max, count }: FiatSum): void {
  const known = fiat.get(unit);
  fiat.set(
    unit,
    known
      ? { min: known.min.plus(min), max: known.max.plus(max), count: known.count + count }
      : { min, max, count },
  );
}
