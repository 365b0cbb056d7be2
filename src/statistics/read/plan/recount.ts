import { greatest, least } from '../../../domain/collections.js';
import { nextBucket } from '../../../domain/statistics/time-buckets.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/prices.js';
import { quarterOf } from '../../../projections/quarters.js';
import { aggregate, type Statistic, type Unit } from '../../roll-up/aggregate.js';
import { toBlockRow, toStatisticRow, type BucketRows } from '../../roll-up/stored-rows.js';
import { getExtent, nameOfOwner, type FigureOwner } from './scope.query.js';
import { ReadFault } from './read-fault.js';
import type { ReportPlan } from './report-plan.js';
import { isFine } from './report-request.js';
import { codesOf, timesParameter } from './stored-rows.js';

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

/** A part of a bucket of a node or chain, and the time at which its sums count. */
interface BucketUnit extends Unit {
  readonly bucketAt: Micros;
}

/** The sums that a report needs in addition to counts. */
export interface RecountNeeds {
  /** Whether cost or gas is needed. */
  readonly prices: boolean;
  /** Whether distributions or the reach of included blocks are needed. */
  readonly carried: boolean;
  readonly blocks: boolean;
}

/**
 * Adds up from rows, in the form of stored rows, what no stored bucket has: the whole report as it was known at a position or at
 * other prices; a report whose buckets are shorter than the stored ones; the quarter hour that the end of any other report cuts.
 *
 * @returns the plan with these sums
 * @throws ReadFault TOO_EXPENSIVE for too many buckets or submissions
 */
export async function countAgain(query: Query, plan: ReportPlan, needs: RecountNeeds): Promise<ReportPlan> {
  const { knownAt, prices } = plan;
  const isPast = knownAt !== undefined;
  const inAddition = isPast ? [] : isFine(plan.bucket) ? fineUnits(plan) : cutQuarters(plan);
  const isWhole = isPast || prices !== undefined;
  const whole = isWhole ? await bucketUnits(query, plan, isPast && needs.blocks) : [];
  if (!isWhole && inAddition.length === 0) return plan;
  const books = prices ?? (needs.prices ? await loadPriceBooks(query, { knownAt }) : new Map());
  const count = (units: readonly BucketUnit[]) => addUp(query, { ...plan, prices: books }, units, needs);
  const sums = isWhole ? await count(whole) : undefined;
  return {
    ...plan,
    ...(sums && { recounted: isPast ? sums : { statistics: sums.statistics } }),
    ...(inAddition.length > 0 && { addedUp: await count(inAddition) }),
  };
}

async function addUp(
  query: Query,
  plan: ReportPlan,
  units: readonly BucketUnit[],
  needs: RecountNeeds,
): Promise<BucketRows> {
  const { knownAt, prices: books = new Map() } = plan;
  const parts = units.flatMap(cutInParts);
  await requireFew(query, plan, parts);
  const rows: { [Table in keyof BucketRows]: BucketRows[Table][number][] } = { statistics: [], blocks: [] };
  const isWanted = wantedBy(plan);
  const isOwned = ownedBy(plan);
  const firstUs = plan.starts[0] ?? plan.fromUs;
  for (const batch of batchesOf(parts)) {
    const sums = await aggregate(query, batch, { books, knownAt }, needs);
    for (const [index, { bucketAt }] of batch.entries()) {
      for (const statistic of sums[index]?.statistics ?? [])
        if (bucketAt >= firstUs && isWanted(statistic))
          rows.statistics.push(toStatisticRow(statistic, bucketAt));
      for (const blocks of sums[index]?.blocks ?? [])
        if (isOwned(blocks)) rows.blocks.push(toBlockRow(blocks, bucketAt));
    }
  }
  return rows;
}

/** Each bucket of each owner, within the known time. */
async function bucketUnits(query: Query, plan: ReportPlan, withBlocks: boolean): Promise<BucketUnit[]> {
  const { starts, endUs, fromUs, toUs, scope, nowUs } = plan;
  const extent = await getExtent(query, scope, nowUs, withBlocks);
  if (extent === undefined) return [];
  const knownTo = nextBucket(extent.lastUs, 'QUARTER_HOUR', 'UTC');
  const times = starts.map((start, bucket) => ({
    bucketAt: start,
    fromUs: greatest(start, fromUs, extent.fromUs),
    toUs: least(starts[bucket + 1] ?? endUs, toUs, knownTo),
  }));
  return ofOwners(plan, times);
}

/** Blocks begin with the quarter hour that the start of the report cuts. */
function fineUnits(plan: ReportPlan): BucketUnit[] {
  const { starts, fromUs, toUs, endUs } = plan;
  const before = quarterOf(fromUs);
  const times = starts.map((start, bucket) => ({
    bucketAt: start,
    fromUs: start,
    toUs: least(starts[bucket + 1] ?? endUs, toUs),
  }));
  return ofOwners(plan, [{ bucketAt: before, fromUs: before, toUs: fromUs }, ...times]);
}

/** Stored sums cover whole quarter hours. */
function cutQuarters(plan: ReportPlan): BucketUnit[] {
  const bucketAt = quarterOf(plan.toUs);
  return ofOwners(plan, [{ bucketAt, fromUs: greatest(bucketAt, plan.fromUs), toUs: plan.toUs }]);
}

/** The times for each chain, or each node with its rows of all chains together. */
function ofOwners(
  { scope }: ReportPlan,
  times: readonly Pick<BucketUnit, 'bucketAt' | 'fromUs' | 'toUs'>[],
): BucketUnit[] {
  const wanted = scope.owners.map(({ nodeKey, chain }) => ({ nodeKey, chain: nodeKey === 0 ? chain : '' }));
  const owners = [...new Map(wanted.map((owner) => [nameOfOwner(owner), owner])).values()];
  return times
    .filter(({ fromUs, toUs }) => fromUs < toUs)
    .flatMap((time) => owners.map((owner) => ({ ...owner, ...time })));
}

/** @param units by time */
async function requireFew(query: Query, { scope }: ReportPlan, units: readonly BucketUnit[]): Promise<void> {
  const [first, last] = [units[0], units.at(-1)];
  if (first === undefined || last === undefined) return;
  const rows = await query<{ count: bigint }>(
    `SELECT count(*) FROM (SELECT FROM submission
      WHERE time_at >= ($1::timestamptz[])[1] AND time_at < ($1::timestamptz[])[2]
      AND (node_key = ANY ($2::int[]) OR node_key IS NULL) LIMIT ${MOST_ROWS + 1}) AS found`,
    [timesParameter([first.fromUs, last.toUs]), [...scope.nodes.keys()]],
  );
  if ((rows[0]?.count ?? 0n) <= MOST_ROWS && units.length <= MOST_UNITS) return;
  throw new ReadFault(
    'TOO_EXPENSIVE',
    `With \`pricesAsOf\`, \`knownAt\` or buckets shorter than QUARTER_HOUR every submission is read again: at most ${MOST_ROWS} submissions and ${MOST_UNITS} buckets of nodes and chains. Request a shorter time, longer buckets or fewer chains.`,
  );
}

function cutInParts(unit: BucketUnit): BucketUnit[] {
  const parts: BucketUnit[] = [];
  for (let fromUs = unit.fromUs; fromUs < unit.toUs; fromUs += TIME_AT_ONCE_US)
    parts.push({ ...unit, fromUs, toUs: least(fromUs + TIME_AT_ONCE_US, unit.toUs) });
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
  const owners = new Set(scope.owners.map(nameOfOwner));
  return (figures) => owners.has(nameOfOwner(figures));
}

/** Whether a statistic matches the report's filter. */
function wantedBy(plan: ReportPlan): (statistic: Statistic) => boolean {
  const isOwned = ownedBy(plan);
  const lists = Object.entries(codesOf(plan)).flatMap(([name, values]) =>
    values ? [[name as 'kind', new Set(values)] as const] : [],
  );
  return (statistic) => isOwned(statistic) && lists.every(([name, values]) => values.has(statistic[name]));
}
