import { entryOf } from '../../domain/collections.js';
import {
  bucketStart,
  hasWholeHourOffsets,
  isTimeZone,
  nextBucket,
} from '../../domain/statistics/time-buckets.js';
import type { Micros } from '../../domain/time.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Query } from '../../platform/sql.js';
import type { UnitSums } from './aggregate.js';
import { mergeBuckets, type MergedBucket } from './merge-buckets.js';
import { quarterOf } from '../../projections/quarters.js';
import type { MarkOwner, Quarter } from './members.js';
import {
  type Bucket,
  deleteBuckets,
  Grain,
  insertStored,
  type BucketRows,
  toBlockRow,
  toStatisticRow,
} from './stored-rows.js';

const HOUR_US = 3_600_000_000n;
const UTC = 'UTC';

/** No zone has had a longer day. A day of one zone may begin up to this long before a day of another zone that it overlaps. */
export const LONGEST_DAY_US = 26n * HOUR_US;

interface Day {
  readonly bucketAt: Micros;
  readonly toAt: Micros;
  /** Grain of the smaller buckets: hours or, if the zone's hours are not those of UTC, quarters. */
  readonly fromGrain: number;
}

export class ReportingZones {
  private readonly days = new Map<string, Day>();

  private constructor(private readonly zones: ReadonlyMap<string, string>) {}

  static async load(query: Query): Promise<ReportingZones> {
    const rows = await query<{ chain: string; zone: string }>(
      'SELECT chain, reporting_time_zone AS zone FROM chain_setting',
    );
    // A zone that this engine does not know must not stop the figures of all chains.
    return new ReportingZones(new Map(rows.map(({ chain, zone }) => [chain, isTimeZone(zone) ? zone : UTC])));
  }

  /** The day of an owner that contains a moment. */
  dayBucket({ nodeKey, chain }: MarkOwner, us: Micros): MergedBucket {
    return { grain: Grain.DAY, nodeKey, chain, ...this.dayOf(this.zones.get(chain) ?? UTC, us) };
  }

  private dayOf(zone: string, us: Micros): Day {
    // Days begin with quarters, so all moments of a quarter have the same day.
    const name = `${quarterOf(us)} ${zone}`;
    return entryOf(this.days, name, () => {
      const bucketAt = bucketStart(us, 'DAY', zone);
      const toAt = nextBucket(bucketAt, 'DAY', zone);
      const hasHours = hasWholeHourOffsets(zone, bucketAt, toAt);
      return { bucketAt, toAt, fromGrain: hasHours ? Grain.HOUR : Grain.QUARTER };
    });
  }
}

/** The hour of UTC that contains a moment. */
function hourBucket({ nodeKey, chain }: MarkOwner, us: Micros): MergedBucket {
  const bucketAt = bucketStart(us, 'HOUR', UTC);
  return { grain: Grain.HOUR, fromGrain: Grain.QUARTER, nodeKey, chain, bucketAt, toAt: bucketAt + HOUR_US };
}

/**
 * Replaces the stored sums of quarters, then the hours and days above them.
 *
 * @param sums in the order of the quarters
 * @returns the number of computed buckets
 */
export async function replaceBuckets(
  query: Query,
  quarters: readonly Quarter[],
  sums: readonly UnitSums[],
): Promise<number> {
  const stored = {
    statistics: quarters.flatMap(({ quarterAt }, index) =>
      (sums[index]?.statistics ?? []).map((each) => toStatisticRow(each, quarterAt)),
    ),
    blocks: quarters.flatMap(({ quarterAt }, index) =>
      (sums[index]?.blocks ?? []).map((each) => toBlockRow(each, quarterAt)),
    ),
  };
  const chainsOf = await getChains(query, quarters, stored);
  const parts = quarters.flatMap((quarter) =>
    chainsOf(quarter).map((chain) => ({
      nodeKey: quarter.nodeKey,
      chain,
      grain: Grain.QUARTER,
      bucketAt: quarter.quarterAt,
    })),
  );
  const zones = await ReportingZones.load(query);
  const hours = unique(parts.map((part) => hourBucket(part, part.bucketAt)));
  const days = unique(parts.map((part) => zones.dayBucket(part, part.bucketAt)));
  const stale = await getStaleDays(query, days, zones);
  const allDays = unique([...days, ...stale.flatMap((day) => daysTouching(day, zones))]);

  await deleteBuckets(query, [...parts, ...hours, ...allDays, ...stale]);
  await insertStored(query, stored);
  for (const merged of [hours, allDays]) await insertStored(query, await mergeBuckets(query, merged));
  return quarters.length + hours.length + allDays.length;
}

/** The chains for which a node has or had figures; for a chain, itself. */
async function getChains(
  query: Query,
  quarters: readonly Quarter[],
  { statistics, blocks }: BucketRows,
): Promise<(owner: MarkOwner) => readonly string[]> {
  const nodes = [...new Set(quarters.map(({ nodeKey }) => nodeKey))].filter((nodeKey) => nodeKey !== 0);
  const chains = new Map<number, Set<string>>();
  for (const owners of [statistics, blocks, await getStoredChains(query, nodes)]) {
    for (const { nodeKey, chain } of owners) {
      entryOf(chains, nodeKey, () => new Set()).add(chain);
    }
  }
  return ({ nodeKey, chain }) => (nodeKey === 0 ? [chain] : [...(chains.get(nodeKey) ?? [])]);
}

async function getStoredChains(query: Query, nodes: readonly number[]): Promise<MarkOwner[]> {
  if (nodes.length === 0) return [];
  // One index look-up for each chain: a node has thousands of rows of each chain.
  const chains = (table: string) => `${table}_chain AS (
      SELECT d.node_key, (SELECT min(s.chain) FROM ${table} s WHERE s.node_key = d.node_key) AS chain
        FROM unnest($1::int4[]) d (node_key)
      UNION ALL
      SELECT c.node_key, (SELECT min(s.chain) FROM ${table} s WHERE s.node_key = c.node_key AND s.chain > c.chain)
        FROM ${table}_chain c WHERE c.chain IS NOT NULL)`;
  return query(
    `WITH RECURSIVE ${chains('statistic')}, ${chains('block_statistic')}
     SELECT node_key AS "nodeKey", chain FROM statistic_chain WHERE chain IS NOT NULL
     UNION SELECT node_key, chain FROM block_statistic_chain WHERE chain IS NOT NULL`,
    [nodes],
  );
}

const SPANS = columnsFor({ nodeKey: 'int4', chain: 'text', fromAt: 'timestamptz', toAt: 'timestamptz' });

/** Stored days that overlap these days but do not fit the zone of their chain, because it had another zone before. */
async function getStaleDays(
  query: Query,
  days: readonly MergedBucket[],
  zones: ReportingZones,
): Promise<Bucket[]> {
  const spans = SPANS.unnest(
    days.map((day) => ({ ...day, fromAt: day.bucketAt - LONGEST_DAY_US })),
    'd',
  );
  const found = (table: string) => `
    SELECT s.grain, s.bucket_at, s.node_key, s.chain FROM span d CROSS JOIN LATERAL (
      SELECT s.grain, s.bucket_at, s.node_key, s.chain FROM ${table} s
       WHERE s.node_key = d.node_key AND s.chain = d.chain AND s.grain = ${Grain.DAY}
         AND s.bucket_at > d.from_at AND s.bucket_at < d.to_at
      OFFSET 0) s`;
  const rows = await query<Bucket>(
    `WITH span AS (SELECT * FROM ${spans.sql}),
       found AS (${found('statistic')} UNION ${found('block_statistic')})
     SELECT grain, bucket_at AS "bucketAt", node_key AS "nodeKey", chain FROM found`,
    spans.parameters,
  );
  return rows.filter((day) => zones.dayBucket(day, day.bucketAt).bucketAt !== day.bucketAt);
}

/** The days of the current zone that overlap an outdated day. */
function daysTouching(stale: Bucket, zones: ReportingZones): MergedBucket[] {
  const first = zones.dayBucket(stale, stale.bucketAt);
  return [first, zones.dayBucket(stale, first.toAt)];
}

function unique<B extends { readonly bucketAt: Micros } & MarkOwner>(buckets: readonly B[]): B[] {
  const byName = new Map(
    buckets.map((bucket) => [`${bucket.bucketAt} ${bucket.nodeKey} ${bucket.chain}`, bucket]),
  );
  return [...byName.values()];
}
