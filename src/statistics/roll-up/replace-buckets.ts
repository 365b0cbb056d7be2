import type { Query } from '../../platform/sql.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { UnitSums } from './aggregate.js';
import { hourBucket, ReportingZones } from './bucket-spans.js';
import { mergeBlockRows, mergeStatisticRows, type MergedBucket } from './merge-buckets.js';
import {
  deleteBuckets,
  Grain,
  insertRows,
  toStoredBlockRow,
  toStoredRow,
  type StoredBucket,
  type StoredRow,
} from './stored-rows.js';
import type { Quarter, Subject } from './subject.js';

/** A day of one zone may begin so long before one of another that it overlaps. */
const LONGEST_DAY_US = 26n * 3_600_000_000n;

/**
 * Puts what quarters add up to in the place of what was stored of them, then the hours and days above them.
 *
 * @param sums in the order of the quarters
 * @returns how many buckets were computed
 */
export async function replaceBuckets(
  query: Query,
  quarters: readonly Quarter[],
  sums: readonly UnitSums[],
): Promise<number> {
  const stored = quarters.map(({ quarterUs }, index) => toStored(quarterUs, sums[index]));
  const chainsOf = await getChains(query, quarters, stored);
  const parts = quarters.flatMap((quarter) =>
    chainsOf(quarter).map((chain) => ({
      ...quarter,
      chain,
      grain: Grain.QUARTER,
      bucketUs: quarter.quarterUs,
    })),
  );
  const zones = await ReportingZones.load(query);
  const hours = unique(parts.map((part) => hourBucket(part, part.bucketUs)));
  const days = unique(parts.map((part) => zones.dayBucket(part, part.bucketUs)));
  const stale = await getStaleDays(query, days, zones);
  const allDays = unique([...days, ...stale.flatMap((day) => daysTouching(day, zones))]);

  const gone: StoredBucket[] = [...parts, ...hours, ...allDays, ...stale];
  await deleteBuckets(query, 'statistic', gone);
  await deleteBuckets(query, 'block_statistic', gone);
  await insertRows(
    query,
    'statistic',
    stored.flatMap(({ statistics }) => statistics),
  );
  await insertRows(
    query,
    'block_statistic',
    stored.flatMap(({ blocks }) => blocks),
  );
  for (const merged of [hours, allDays]) {
    await insertRows(query, 'statistic', await mergeStatisticRows(query, merged));
    await insertRows(query, 'block_statistic', await mergeBlockRows(query, merged));
  }
  return quarters.length + hours.length + allDays.length;
}

interface StoredQuarter {
  readonly statistics: readonly StoredRow[];
  readonly blocks: readonly StoredRow[];
}

function toStored(quarterUs: bigint, sums: UnitSums | undefined): StoredQuarter {
  return {
    statistics: (sums?.statistics ?? []).map((each) => toStoredRow(each, Grain.QUARTER, quarterUs)),
    blocks: (sums?.blocks ?? []).map((each) => toStoredBlockRow(each, Grain.QUARTER, quarterUs)),
  };
}

/** The chains of which a node has or had figures; a chain has its own. */
async function getChains(
  query: Query,
  quarters: readonly Quarter[],
  stored: readonly StoredQuarter[],
): Promise<(subject: Subject) => readonly string[]> {
  const chains = new Map<number, Set<string>>();
  const note = (nodeKey: number, chain: string) => {
    const known = chains.get(nodeKey) ?? new Set();
    chains.set(nodeKey, known.add(chain));
  };
  for (const { statistics, blocks } of stored) {
    for (const { nodeKey, chain } of [...statistics, ...blocks]) note(nodeKey, chain);
  }
  const nodes = [...new Set(quarters.map(({ nodeKey }) => nodeKey))].filter((nodeKey) => nodeKey !== 0);
  for (const { node_key, chain } of await getStoredChains(query, nodes)) note(node_key, chain);
  return ({ nodeKey, chain }) => (nodeKey === 0 ? [chain] : [...(chains.get(nodeKey) ?? [])]);
}

async function getStoredChains(
  query: Query,
  nodes: readonly number[],
): Promise<{ node_key: number; chain: string }[]> {
  if (nodes.length === 0) return [];
  // One look into the index for each chain: a node has thousands of rows of each.
  const chains = (table: string) => `
    SELECT d.node_key, (SELECT min(s.chain) FROM ${table} s WHERE s.node_key = d.node_key) AS chain
      FROM unnest($1::int4[]) d (node_key)`;
  const next = (table: string) =>
    `(SELECT min(s.chain) FROM ${table} s WHERE s.node_key = c.node_key AND s.chain > c.chain)`;
  return query(
    `WITH RECURSIVE
       a AS (${chains('statistic')} UNION ALL SELECT c.node_key, ${next('statistic')} FROM a c WHERE c.chain IS NOT NULL),
       b AS (${chains('block_statistic')} UNION ALL
             SELECT c.node_key, ${next('block_statistic')} FROM b c WHERE c.chain IS NOT NULL)
     SELECT node_key, chain FROM a WHERE chain IS NOT NULL
     UNION SELECT node_key, chain FROM b WHERE chain IS NOT NULL`,
    [nodes],
  );
}

interface Span extends Subject {
  readonly fromUs: bigint;
  readonly toUs: bigint;
}
const SPAN_COLUMNS = [
  column('node_key', 'int4', ({ nodeKey }: Span) => nodeKey),
  column('chain', 'text', ({ chain }: Span) => chain),
  column('from_at', 'timestamptz', ({ fromUs }: Span) => fromUs),
  column('to_at', 'timestamptz', ({ toUs }: Span) => toUs),
];

/** Stored days that overlap these and are none of their chain's zone: it was another before. */
async function getStaleDays(
  query: Query,
  days: readonly MergedBucket[],
  zones: ReportingZones,
): Promise<StoredBucket[]> {
  const spans = unnestRows(
    SPAN_COLUMNS,
    days.map((day) => ({ ...day, fromUs: day.bucketUs - LONGEST_DAY_US })),
    'd',
  );
  const found = (table: string) => `
    SELECT s.node_key, s.chain, s.bucket_at FROM span d CROSS JOIN LATERAL (
      SELECT s.node_key, s.chain, s.bucket_at FROM ${table} s
       WHERE s.node_key = d.node_key AND s.chain = d.chain AND s.grain = ${Grain.DAY}
         AND s.bucket_at > d.from_at AND s.bucket_at < d.to_at
      OFFSET 0) s`;
  const rows = await query<{ node_key: number; chain: string; us: string }>(
    `WITH span AS (SELECT * FROM ${spans.sql}),
       found AS (${found('statistic')} UNION ${found('block_statistic')})
     SELECT node_key, chain, (extract(epoch FROM bucket_at) * 1000000)::bigint AS us FROM found`,
    spans.parameters,
  );
  return rows
    .map(({ node_key: nodeKey, chain, us }) => ({ grain: Grain.DAY, bucketUs: BigInt(us), nodeKey, chain }))
    .filter((day) => zones.dayBucket(day, day.bucketUs).bucketUs !== day.bucketUs);
}

/** The days of the present zone that an outdated one shares time with. */
function daysTouching(stale: StoredBucket, zones: ReportingZones): MergedBucket[] {
  const first = zones.dayBucket(stale, stale.bucketUs);
  return [first, zones.dayBucket(stale, first.toUs)];
}

function unique<Bucket extends StoredBucket>(buckets: readonly Bucket[]): Bucket[] {
  const byName = new Map<string, Bucket>();
  for (const bucket of buckets) {
    byName.set(`${bucket.grain} ${bucket.bucketUs} ${bucket.nodeKey} ${bucket.chain}`, bucket);
  }
  return [...byName.values()];
}
