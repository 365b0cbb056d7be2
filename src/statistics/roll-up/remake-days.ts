import { columnsOf } from '../../platform/rows/row-columns.js';
import type { Query } from '../../platform/sql.js';
import { isFaultOfData } from '../../projections/faults.js';
import { RollUpMarkEntity } from '../../tables/statistics.entities.js';
import { LONGEST_DAY_US, ReportingZones } from './replace-buckets.js';
import { mergeBuckets, type MergedBucket } from './merge-buckets.js';
import { quarterOf } from '../../projections/quarters.js';
import { deleteBuckets, Grain, insertStored, type Bucket } from './stored-rows.js';

const DAYS_AT_ONCE = 200;

const MARKS = columnsOf(RollUpMarkEntity, 'nodeKey', 'chain', 'quarterAt');

/**
 * Computes all stored days of chains with their own zone again, by the zone data of this process, from the hours and quarters
 * in them. No other process may write days meanwhile. If the stored data of an owner cannot be read, its days are marked
 * instead. They stay unchanged until the roll-up quarantines the owner.
 */
export async function remakeDays(query: Query): Promise<void> {
  const zones = await ReportingZones.load(query);
  const stored = await query<Bucket>(
    `SELECT grain, bucket_at AS "bucketAt", node_key AS "nodeKey", chain FROM (
       SELECT grain, bucket_at, node_key, chain FROM statistic WHERE grain = ${Grain.DAY}
       UNION SELECT grain, bucket_at, node_key, chain FROM block_statistic WHERE grain = ${Grain.DAY}) s
      WHERE chain IN (SELECT chain FROM chain_setting WHERE reporting_time_zone <> 'UTC')
      ORDER BY node_key, chain, bucket_at`,
  );
  for (let from = 0, to = 0; from < stored.length; from = to) {
    const first = stored[from] as Bucket;
    const isOfOwner = ({ nodeKey, chain }: Bucket) => nodeKey === first.nodeKey && chain === first.chain;
    while (to < stored.length && to < from + DAYS_AT_ONCE && isOfOwner(stored[to] as Bucket)) to += 1;
    await remake(query, stored.slice(from, to), zones);
  }
}

async function remake(query: Query, former: readonly Bucket[], zones: ReportingZones): Promise<void> {
  await query('SAVEPOINT days');
  try {
    const days = new Map<bigint, MergedBucket>();
    for (const day of former) for (const own of daysWithin(day, zones)) days.set(own.bucketAt, own);
    await deleteBuckets(query, [...former, ...days.values()]);
    await insertStored(query, await mergeBuckets(query, [...days.values()]));
  } catch (error) {
    if (!isFaultOfData(error)) throw error;
    await query('ROLLBACK TO SAVEPOINT days');
    const marks = MARKS.unnest(
      former.map(({ nodeKey, chain, bucketAt }) => ({
        nodeKey,
        chain: nodeKey === 0 ? chain : '',
        quarterAt: quarterOf(bucketAt),
      })),
    );
    await query(
      `INSERT INTO roll_up_mark (${marks.names}) SELECT ${marks.names} FROM ${marks.sql}`,
      marks.parameters,
    );
  }
  await query('RELEASE SAVEPOINT days');
}

/** The days that may overlap a stored day, whatever zone data the stored day was made by. */
function* daysWithin(former: Bucket, zones: ReportingZones): Generator<MergedBucket> {
  let day = zones.dayBucket(former, former.bucketAt);
  yield day;
  while (day.toAt < former.bucketAt + LONGEST_DAY_US) {
    day = zones.dayBucket(former, day.toAt);
    yield day;
  }
}
