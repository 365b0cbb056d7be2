import { PriceBook } from '../../../domain/cost/price-book.js';
import { kindCodeOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import { nextBucket } from '../../../domain/statistics/time-buckets.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/price-books.js';
import { aggregateCosts, type Unit } from '../../roll-up/aggregate.js';
import { addFiat, type FiatSum, type Statistic } from '../../roll-up/statistic.js';
import { toGroup, toSlot } from '../plan/grouped-rows.js';
import { getExtent, type Extent } from '../plan/extent.query.js';
import { findPositionAt } from '../plan/log-position.query.js';
import { ReadFault } from '../plan/read-fault.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { timesParameter } from '../plan/stored-rows.js';
import { NO_COST, type CostSlot, type CostSums } from './cost-sums.query.js';

/** Other prices than those that hold, or another moment than now. */
export interface AsOf {
  /** The prices of this moment for all time. */
  readonly pricesAsOfUs?: Micros | undefined;
  /** Only what was recorded by then, prices included. */
  readonly knownAtUs?: Micros | undefined;
}

/** Rows that are priced anew for one report at most. */
const MOST_ROWS = 20_000_000;
/** Buckets of nodes and chains that are computed anew for one report at most. */
const MOST_UNITS = 20_000;
const UNITS_AT_ONCE = 500;
/** Longer buckets are added up from parts, and parts of this much time together in one statement, which may not run for long. */
const TIME_AT_ONCE_US: Micros = 31n * 86_400_000_000n;

/**
 * Cost by bucket and group, priced anew from the submissions themselves, for no stored bucket knows it.
 * @throws ReadFault TOO_EXPENSIVE when these are too many
 */
export async function getCostAsOf(query: Query, plan: ReportPlan, asOf: AsOf): Promise<CostSlot[]> {
  const extent = await getExtent(query, plan.scope, plan.nowUs);
  if (extent === undefined) return [];
  const units = toUnits(plan, extent).flatMap(cutInParts);
  await requireFew(query, plan, units.length);
  const knownAt = asOf.knownAtUs === undefined ? undefined : await findPositionAt(query, asOf.knownAtUs);
  const given = {
    books: await loadBooks(query, knownAt, asOf.pricesAsOfUs),
    ...(knownAt !== undefined && { knownAt }),
  };
  const isWanted = wantedBy(plan);
  const slots = new Map<string, OpenSlot>();
  for (const some of batchesOf(units)) {
    const lists = await aggregateCosts(query, some, given);
    for (const [index, unit] of some.entries()) {
      for (const statistic of lists[index] ?? []) {
        if (isWanted(statistic)) add(slots, unit.bucket, plan, statistic);
      }
    }
  }
  return [...slots.values()];
}

async function requireFew(query: Query, plan: ReportPlan, units: number): Promise<void> {
  const rows = await query<{ count: bigint }>(
    `SELECT count(*) FROM (SELECT FROM submission
      WHERE time_at >= ($1::timestamptz[])[1] AND time_at < ($1::timestamptz[])[2]
      AND (node_key = ANY ($2::int[]) OR node_key IS NULL) LIMIT ${MOST_ROWS + 1}) AS found`,
    [timesParameter([plan.fromUs, plan.toUs]), [...plan.scope.nodes.keys()]],
  );
  if ((rows[0]?.count ?? 0n) <= MOST_ROWS && units <= MOST_UNITS) return;
  throw new ReadFault(
    'TOO_EXPENSIVE',
    `With \`pricesAsOf\` or \`knownAt\` every submission is priced anew, ${MOST_ROWS} of them and ${MOST_UNITS} buckets of nodes and chains at most: ask for a shorter time, longer buckets or fewer chains.`,
  );
}

async function loadBooks(
  query: Query,
  knownAt: bigint | undefined,
  pricesAsOfUs: Micros | undefined,
): Promise<ReadonlyMap<string, PriceBook>> {
  const books = await loadPriceBooks(query, knownAt === undefined ? {} : { knownAt });
  if (pricesAsOfUs === undefined) return books;
  return new Map([...books].map(([chain, book]) => [chain, book.flatAt(pricesAsOfUs)]));
}

interface BucketUnit extends Unit {
  readonly bucket: number;
}

/** Each bucket of each chain, or of each node, whose rows of all chains come together; as far as anything is known. */
function toUnits({ starts, endUs, fromUs, toUs, scope }: ReportPlan, extent: Extent): BucketUnit[] {
  const wanted = scope.owners.map(({ nodeKey, chain }) => ({ nodeKey, chain: nodeKey === 0 ? chain : '' }));
  const distinct = new Map(wanted.map((owner) => [`${owner.nodeKey} ${owner.chain}`, owner]));
  return starts.flatMap((start, bucket) => {
    const end = starts[bucket + 1] ?? endUs;
    const time = {
      fromUs: greatest(start, fromUs, extent.fromUs),
      toUs: least(end, toUs, nextBucket(extent.lastUs, 'QUARTER', 'UTC')),
    };
    if (time.fromUs >= time.toUs) return [];
    return [...distinct.values()].map((owner) => ({ ...owner, ...time, bucket }));
  });
}

function greatest(...times: readonly Micros[]): Micros {
  return times.reduce((a, b) => (a > b ? a : b));
}

function least(...times: readonly Micros[]): Micros {
  return times.reduce((a, b) => (a < b ? a : b));
}

function cutInParts(unit: BucketUnit): BucketUnit[] {
  const parts: BucketUnit[] = [];
  for (let fromUs = unit.fromUs; fromUs < unit.toUs; fromUs += TIME_AT_ONCE_US) {
    const end = fromUs + TIME_AT_ONCE_US;
    parts.push({ ...unit, fromUs, toUs: end < unit.toUs ? end : unit.toUs });
  }
  return parts;
}

function batchesOf(units: readonly BucketUnit[]): BucketUnit[][] {
  const batches: BucketUnit[][] = [];
  let time = TIME_AT_ONCE_US;
  for (const unit of units) {
    const more = unit.toUs - unit.fromUs;
    const last = batches.at(-1);
    if (last && time + more <= TIME_AT_ONCE_US && last.length < UNITS_AT_ONCE) {
      last.push(unit);
      time += more;
    } else {
      batches.push([unit]);
      time = more;
    }
  }
  return batches;
}

/** Whether a statistic is one that the report's filter asks for. */
function wantedBy({ scope, filter }: ReportPlan): (statistic: Statistic) => boolean {
  const owners = new Set(scope.owners.map(({ nodeKey, chain }) => `${nodeKey} ${chain}`));
  const namespaces = toSet(scope.namespaceKeys);
  const kinds = toSet(filter.kinds?.map(kindCodeOf));
  const statuses = toSet(filter.statuses?.map(statusCodeOf));
  return ({ nodeKey, chain, namespaceKey, kind, status }) =>
    owners.has(`${nodeKey} ${chain}`) &&
    (namespaces?.has(namespaceKey) ?? true) &&
    (kinds?.has(kind) ?? true) &&
    (statuses?.has(status) ?? true);
}

function toSet(values: readonly number[] | undefined): ReadonlySet<number> | undefined {
  return values && new Set(values);
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
