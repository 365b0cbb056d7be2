import { PriceBook } from '../../../domain/cost/price-book.js';
import { kindCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/prices.js';
import { aggregateCosts } from '../../roll-up/aggregate.js';
import { addFiat, type FiatSum, type Statistic } from '../../roll-up/statistic.js';
import { toGroup, toSlot } from '../plan/grouped-rows.js';
import { planRecount, wantedBy } from '../plan/recount.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { NO_COST, type CostSlot, type CostSums } from './cost-sums.query.js';

/** Prices other than the current ones, or a moment other than now. */
export interface AsOf {
  /** Applies the prices of this moment to all time. */
  readonly pricesAsOfUs?: Micros | undefined;
  /** Only data recorded by then, including prices. */
  readonly knownAtUs?: Micros | undefined;
  /** Price books by chain that replace the recorded books. */
  readonly books?: ReadonlyMap<string, PriceBook> | undefined;
}

/**
 * Cost by bucket and group, priced again from the submissions themselves, because no stored bucket has it.
 * @throws ReadFault TOO_EXPENSIVE for too many submissions
 */
export async function getCostAsOf(query: Query, plan: ReportPlan, asOf: AsOf): Promise<CostSlot[]> {
  const batches = await planRecount(query, plan, false);
  const { knownAt } = plan;
  const given = {
    books: asOf.books ?? (await loadBooks(query, knownAt, asOf.pricesAsOfUs)),
    ...(knownAt !== undefined && { knownAt }),
  };
  const isWanted = wantedBy(plan);
  const slots = new Map<string, OpenSlot>();
  for (const some of batches) {
    const lists = await aggregateCosts(query, some, given);
    for (const [index, unit] of some.entries()) {
      for (const statistic of lists[index] ?? []) {
        if (isWanted(statistic)) add(slots, unit.bucket, plan, statistic);
      }
    }
  }
  return [...slots.values()];
}

/** The price books by chain, as they were known, or with the prices of one moment for all time. */
export async function loadBooks(
  query: Query,
  knownAt: bigint | undefined,
  pricesAsOfUs: Micros | undefined,
): Promise<ReadonlyMap<string, PriceBook>> {
  const books = await loadPriceBooks(query, knownAt === undefined ? {} : { knownAt });
  if (pricesAsOfUs === undefined) return books;
  return new Map([...books].map(([chain, book]) => [chain, book.flatAt(pricesAsOfUs)]));
}

interface OpenSlot extends CostSlot {
  sums: CostSums;
  readonly fiat: Map<string, FiatSum>;
}

function add(slots: Map<string, OpenSlot>, bucket: number, plan: ReportPlan, statistic: Statistic): void {
  const slot = toSlot(bucket, toGroup(plan, statistic));
  const open = slots.get(slot.name) ?? { ...slot, ...NO_COST, fiat: new Map<string, FiatSum>() };
  slots.set(slot.name, open);
  const more = toSums(statistic);
  const names = Object.keys(NO_COST.sums) as (keyof CostSums)[];
  open.sums = Object.fromEntries(names.map((name) => [name, open.sums[name] + more[name]])) as CostSums;
  for (const [unit, money] of statistic.fiat) addFiat(open.fiat, unit, money);
}

const HEADER = kindCodeOf('HEADER');
const DATA = kindCodeOf('DATA');

function toSums(statistic: Statistic): CostSums {
  const { kind, gasMax, feeMax } = statistic;
  return {
    ...statistic,
    headerGasMax: kind === HEADER ? gasMax : 0n,
    headerFeeMax: kind === HEADER ? feeMax : 0n,
    dataGasMax: kind === DATA ? gasMax : 0n,
    dataFeeMax: kind === DATA ? feeMax : 0n,
  };
}
