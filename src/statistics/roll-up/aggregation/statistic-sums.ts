import type { CarriedRow } from './carried-rows.js';
import { emptyStatistic, type OpenStatistic, type Statistic, type StatisticKey } from '../statistic.js';
import type { Unit } from './unit.js';

/** Statistics of units that are being added up. */
export class StatisticSums {
  private readonly byUnit: readonly Map<string, OpenStatistic>[];

  constructor(private readonly units: readonly Unit[]) {
    this.byUnit = units.map(() => new Map());
  }

  of(unit: number): Statistic[] {
    return [...(this.byUnit[unit]?.values() ?? [])];
  }

  /** The statistic of a unit and key. */
  open(unit: number, { chain, namespaceKey, kind, status }: Omit<StatisticKey, 'nodeKey'>): OpenStatistic {
    const statistics = this.byUnit[unit];
    const name = `${namespaceKey} ${kind} ${status} ${chain}`;
    const known = statistics?.get(name);
    if (known) return known;
    const nodeKey = this.units[unit]?.nodeKey ?? 0;
    const opened = emptyStatistic({ nodeKey, chain, namespaceKey, kind, status });
    statistics?.set(name, opened);
    return opened;
  }

  /** Adds values of distributions; the piece is a whole unit. */
  addCarried(row: CarriedRow): void {
    const { piece, chain, namespace_key: namespaceKey, kind, status } = row;
    const sum = this.open(piece, { chain, namespaceKey, kind, status });
    const n = Number(row.n);
    if (row.lag_bin !== null) sum.lagMs.addBin(row.lag_bin, n, row.lag_max ?? 0);
    if (row.wait_bin !== null) sum.submissionMs.addBin(row.wait_bin, n, row.wait_max ?? 0);
    if (row.size_bin !== null) sum.blobBytes.addBin(row.size_bin, n, row.size_max ?? 0);
  }
}
