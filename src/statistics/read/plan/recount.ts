import { nextBucket } from '../../../domain/statistics/time-buckets.js';
import { kindCodeOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/prices.js';
import { aggregateAll, aggregateBlocks, type AggregationInput, type Unit } from '../../roll-up/aggregate.js';
import type { Statistic } from '../../roll-up/statistic.js';
import { toBlockRow, toStatisticRow, type StoredRows } from '../../roll-up/stored-rows.js';
import { getExtent, type Extent, type FigureOwner } from './scope.query.js';
import { ReadFault } from './read-fault.js';
import { floorToQuarter, type ReportPlan } from './report-plan.js';
import { timesParameter } from './stored-rows.js';

/** Rows that are read again for one report at most. */
const MOST_ROWS = 20_000_000;
/** Buckets of nodes and chains that are computed again for one report at most. */
const MOST_UNITS = 20_000;
const UNITS_AT_ONCE = 500;
/**
 * Time that one statement covers at most, so that it does not run long: longer buckets are added up from parts, short parts are
 * read together.
 */
const TIME_AT_ONCE_US: Micros = 31n * 86_400_000_000n;

/**
 * The parts that a report computes from rows because no stored bucket has them: the buckets of its nodes and chains within the
 * known time, grouped by statement.
 *
 * @param withBlocks whether to include blocks, which can be known for a time without submissions
 * @throws ReadFault TOO_EXPENSIVE for too many buckets or submissions
 */
export async function planRecount(
  query: Query,
  plan: ReportPlan,
  withBlocks: boolean,
): Promise<BucketUnit[][]> {
  const extent = await getExtent(query, plan.scope, plan.nowUs, withBlocks);
  if (extent === undefined) return [];
  const units = toUnits(plan, extent).flatMap(cutInParts);
  await requireFew(query, plan, units.length);
  return batchesOf(units);
}

/** A report's sums as they were known, in the form of stored rows; without cost. @throws ReadFault as {@link planRecount} */
export async function recount(query: Query, plan: ReportPlan): Promise<StoredRows> {
  return addUp(query, plan, await planRecount(query, plan, true));
}

/**
 * The sums of a report whose buckets are shorter than the stored ones, in the form of stored rows; without cost. Blocks begin with
 * the quarter hour that the start of the report cuts.
 * @throws ReadFault as {@link planRecount}
 */
export async function recountFine(query: Query, plan: ReportPlan): Promise<StoredRows> {
  const { starts, fromUs, toUs, endUs } = plan;
  const lead = { fromUs: floorToQuarter(fromUs), toUs: fromUs, bucket: BEFORE };
  const times = starts.map((start, bucket) => ({
    fromUs: start,
    toUs: least(starts[bucket + 1] ?? endUs, toUs),
    bucket,
  }));
  const all = lead.fromUs < lead.toUs ? [lead, ...times] : times;
  const owners = ownersOf(plan);
  const units = all.flatMap((time) => owners.map((owner) => ({ ...owner, ...time })));
  await requireFew(query, plan, units.length);
  return addUp(query, plan, batchesOf(units));
}

/** The bucket of what lies before a report. */
const BEFORE = -1;

async function addUp(
  query: Query,
  plan: ReportPlan,
  batches: readonly (readonly BucketUnit[])[],
): Promise<StoredRows> {
  const rows: { statistics: StoredRows['statistics'][number][]; blocks: StoredRows['blocks'][number][] } = {
    statistics: [],
    blocks: [],
  };
  const given = givenOf(plan);
  const isWanted = wantedBy(plan);
  const isOwned = ownedBy(plan);
  for (const some of batches) {
    const sums = await aggregateAll(query, some, given);
    for (const [index, { bucket }] of some.entries()) {
      const start = bucket === BEFORE ? floorToQuarter(plan.fromUs) : (plan.starts[bucket] ?? plan.fromUs);
      for (const statistic of sums[index]?.statistics ?? [])
        if (bucket !== BEFORE && isWanted(statistic)) rows.statistics.push(toStatisticRow(statistic, start));
      for (const blocks of sums[index]?.blocks ?? [])
        if (isOwned(blocks)) rows.blocks.push(toBlockRow(blocks, start));
    }
  }
  return rows;
}

/**
 * The sums, with cost, of the quarter hour that the end of a report cuts, because stored sums cover whole quarter hours.
 * Undefined if the end cuts no quarter hour.
 * @throws ReadFault as {@link planRecount}
 */
export async function recountCut(query: Query, plan: ReportPlan): Promise<StoredRows | undefined> {
  const bucketAt = floorToQuarter(plan.toUs);
  if (bucketAt === plan.toUs) return undefined;
  const time = { fromUs: greatest(bucketAt, plan.fromUs), toUs: plan.toUs };
  const units = ownersOf(plan).map((owner) => ({ ...owner, ...time }));
  await requireFew(query, { ...plan, ...time }, units.length);
  const sums = await aggregateAll(query, units, { books: await loadPriceBooks(query) });
  const isWanted = wantedBy(plan);
  const isOwned = ownedBy(plan);
  return {
    statistics: sums.flatMap(({ statistics }) =>
      statistics.filter(isWanted).map((statistic) => toStatisticRow(statistic, bucketAt)),
    ),
    blocks: sums.flatMap(({ blocks }) => blocks.filter(isOwned).map((sum) => toBlockRow(sum, bucketAt))),
  };
}

/** The blocks of a report as they were known, in the form of stored rows; without submissions. @throws ReadFault as {@link planRecount} */
export async function recountBlocks(query: Query, plan: ReportPlan): Promise<StoredRows> {
  const blocks: StoredRows['blocks'][number][] = [];
  const isOwned = ownedBy(plan);
  for (const some of await planRecount(query, plan, true)) {
    const sums = await aggregateBlocks(query, some, givenOf(plan));
    for (const [index, { bucket }] of some.entries()) {
      const start = plan.starts[bucket] ?? plan.fromUs;
      for (const sum of sums[index] ?? []) if (isOwned(sum)) blocks.push(toBlockRow(sum, start));
    }
  }
  return { statistics: [], blocks };
}

function givenOf({ knownAt }: ReportPlan): AggregationInput {
  return { books: new Map(), ...(knownAt !== undefined && { knownAt }) };
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
    `With \`pricesAsOf\`, \`knownAt\` or buckets shorter than QUARTER_HOUR every submission is read again: at most ${MOST_ROWS} submissions and ${MOST_UNITS} buckets of nodes and chains. Request a shorter time, longer buckets or fewer chains.`,
  );
}

/** A part of a bucket of a node or chain. */
export interface BucketUnit extends Unit {
  readonly bucket: number;
}

/** Each bucket of each owner, within the known time. */
function toUnits({ starts, endUs, fromUs, toUs, scope }: ReportPlan, extent: Extent): BucketUnit[] {
  const owners = ownersOf({ scope });
  return starts.flatMap((start, bucket) => {
    const end = starts[bucket + 1] ?? endUs;
    const time = {
      fromUs: greatest(start, fromUs, extent.fromUs),
      toUs: least(end, toUs, nextBucket(extent.lastUs, 'QUARTER_HOUR', 'UTC')),
    };
    if (time.fromUs >= time.toUs) return [];
    return owners.map((owner) => ({ ...owner, ...time, bucket }));
  });
}

/** Each chain, or each node with its rows of all chains together. */
function ownersOf({ scope }: Pick<ReportPlan, 'scope'>): Pick<Unit, 'nodeKey' | 'chain'>[] {
  const wanted = scope.owners.map(({ nodeKey, chain }) => ({ nodeKey, chain: nodeKey === 0 ? chain : '' }));
  return [...new Map(wanted.map((owner) => [`${owner.nodeKey} ${owner.chain}`, owner])).values()];
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

/** Whether figures belong to a node or chain of the report; a node's figures can be of several chains. */
function ownedBy({ scope }: ReportPlan): (figures: FigureOwner) => boolean {
  const owners = new Set(scope.owners.map(({ nodeKey, chain }) => `${nodeKey} ${chain}`));
  return ({ nodeKey, chain }) => owners.has(`${nodeKey} ${chain}`);
}

/** Whether a statistic matches the report's filter. */
export function wantedBy(plan: ReportPlan): (statistic: Statistic) => boolean {
  const { scope, filter } = plan;
  const isOwned = ownedBy(plan);
  const namespaces = toSet(scope.namespaceKeys);
  const kinds = toSet(filter.kinds?.map(kindCodeOf));
  const statuses = toSet(filter.statuses?.map(statusCodeOf));
  return (statistic) =>
    isOwned(statistic) &&
    (namespaces?.has(statistic.namespaceKey) ?? true) &&
    (kinds?.has(statistic.kind) ?? true) &&
    (statuses?.has(statistic.status) ?? true);
}

function toSet(values: readonly number[] | undefined): ReadonlySet<number> | undefined {
  return values && new Set(values);
}
