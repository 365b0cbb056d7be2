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
    const sum = this.open(row.piece, row);
    const n = Number(row.n);
    if (row.lagBin !== null) {
      sum.lagMs.addBin(row.lagBin, n, row.lagMax ?? 0);
      sum.lagCount += row.n;
      sum.lagSumNs += BigInt(row.lagSum ?? 0);
    }
    if (row.waitBin !== null) {
      sum.submissionMs.addBin(row.waitBin, n, row.waitMax ?? 0);
      sum.submissionCount += row.n;
      sum.submissionSumUs += BigInt(row.waitSum ?? 0);
    }
    if (row.sizeBin !== null) sum.blobBytes.addBin(row.sizeBin, n, row.sizeMax ?? 0);
  }
}
