import type { Query } from '../../../platform/sql.js';
import { nextTurn } from '../../../platform/turns.js';
import { BUCKET, bucketParameters, bucketRows } from '../plan/bucket-rows.js';
import { slotOf, type GroupRow, type Slot } from '../plan/grouped-rows.js';
import { toTimestamp } from '../plan/micros.js';
import { piecesBefore, piecesOf } from '../plan/pieces.js';
import type { ReportPlan } from '../plan/report-plan.js';
import type { Subject } from '../plan/scope.query.js';

/** Buckets of a subject that are gone through in one turn of the event loop. */
const BUCKETS_PER_TURN = 1_000;

interface HeightRow {
  readonly node_key: number;
  readonly chain: string;
  readonly lineage_key: number;
  readonly n: number;
  readonly bucket: number;
  readonly height: string;
}

/** The highest recorded block of a subject's newest lineage, behind which nothing is recorded for a bucket or more. */
interface LastBlock {
  readonly nodeKey: number;
  readonly lineageKey: number;
  readonly n: number;
  readonly height: bigint;
}

interface NextRow {
  readonly node_key: number;
  readonly lineage_key: number;
  readonly height: string;
  readonly next_us: string | null;
  readonly is_caught_up: boolean;
}

/**
 * Tells whether a slot in which no block is stored is known to be without blocks: the next height after the last one
 * before it is recorded, and of a later time, or the last one before it is the newest of a node of which every block is
 * recorded. Else nobody knows: blocks may have been produced in it that could not be read.
 */
export async function getKnownEmpty(query: Query, plan: ReportPlan): Promise<(slot: Slot) => boolean> {
  const lasts = await toLastBlocks(plan, await getHeights(query, plan));
  const ends = await getEmptyEnds(query, [...lasts.values()]);
  const members = membersByGroup(plan);
  return ({ bucket, group }) => {
    const start = plan.starts[bucket + 1] ?? plan.endUs;
    const endUs = start < plan.toUs ? start : plan.toUs;
    const subjects = members.get(slotOf(0, group)) ?? [];
    return (
      subjects.length > 0 &&
      subjects.every((subject) => {
        const last = lasts.get(subjectSlot(bucket, subject));
        const emptyTo = last && ends.get(nameOf(last));
        return emptyTo === 'PRESENT' || (emptyTo !== undefined && endUs <= emptyTo);
      })
    );
  };
}

/** The highest block by subject, lineage and bucket; bucket -1 holds everything before the report. */
function getHeights(query: Query, plan: ReportPlan): Promise<HeightRow[]> {
  return query<HeightRow>(
    // The first bucket begins before the report where that cuts it.
    `SELECT s.node_key, s.chain, s.lineage_key, max(s.last_height) AS height,
            CASE WHEN s.bucket_at < $9::timestamptz THEN -1 ELSE ${BUCKET} END AS bucket,
            coalesce((SELECT l.n FROM lineage l WHERE l.lineage_key = s.lineage_key), 0) AS n
       ${bucketRows('block_statistic')}
      WHERE s.last_height IS NOT NULL
      GROUP BY s.node_key, s.chain, s.lineage_key, bucket`,
    [
      ...bucketParameters(plan, (zone) => [...piecesBefore(plan.fromUs, zone), ...piecesOf(plan, zone)]),
      toTimestamp(plan.fromUs),
    ],
  );
}

/** By subject and bucket, for every bucket in which the subject has no block but had one before. */
async function toLastBlocks(
  plan: ReportPlan,
  rows: readonly HeightRow[],
): Promise<ReadonlyMap<string, LastBlock>> {
  const recorded = new Map<string, LastBlock>();
  const subjects = new Map<string, Subject>();
  for (const row of rows) {
    const subject = { nodeKey: row.node_key, chain: row.chain };
    subjects.set(subjectSlot(0, subject), subject);
    const place = subjectSlot(row.bucket, subject);
    const found = {
      nodeKey: row.node_key,
      lineageKey: row.lineage_key,
      n: row.n,
      height: BigInt(row.height),
    };
    recorded.set(place, newer(recorded.get(place), found));
  }
  const lasts = new Map<string, LastBlock>();
  for (const subject of subjects.values()) {
    let last: LastBlock | undefined;
    for (let bucket = -1; bucket < plan.starts.length; bucket++) {
      if (bucket % BUCKETS_PER_TURN === 0) await nextTurn();
      const place = subjectSlot(bucket, subject);
      const found = recorded.get(place);
      if (found !== undefined) last = newer(last, found);
      else if (last !== undefined) lasts.set(place, last);
    }
  }
  return lasts;
}

function newer(known: LastBlock | undefined, found: LastBlock): LastBlock {
  if (known === undefined || found.n > known.n) return found;
  return found.n === known.n && found.height > known.height ? found : known;
}

/** Up to when (Unix microseconds) no block can have followed each of these; nothing where one may have. */
async function getEmptyEnds(
  query: Query,
  lasts: readonly LastBlock[],
): Promise<ReadonlyMap<string, bigint | 'PRESENT'>> {
  const wanted = [...new Map(lasts.map((last) => [nameOf(last), last])).values()];
  if (wanted.length === 0) return new Map();
  const rows = await query<NextRow>(
    // Looked up by the primary key: the planner would join a long list to the whole table.
    `SELECT wanted.node_key, wanted.lineage_key, wanted.height,
            min((SELECT b.time_ns / 1000 FROM block b
                  WHERE b.node_key = w.node_key AND b.lineage_key = w.lineage_key
                    AND b.height = wanted.height + 1)) AS next_us,
            coalesce(bool_or(w.last_height = wanted.height AND w.last_height >= n.head), false) AS is_caught_up
       FROM unnest($1::int[], $2::int[], $3::bigint[]) AS wanted (node_key, lineage_key, height)
       JOIN inclusion_walk w ON w.lineage_key = wanted.lineage_key AND wanted.node_key IN (0, w.node_key)
       LEFT JOIN node n ON n.node_key = w.node_key AND n.lineage_key = w.lineage_key
      GROUP BY wanted.node_key, wanted.lineage_key, wanted.height`,
    [
      wanted.map(({ nodeKey }) => nodeKey),
      wanted.map(({ lineageKey }) => lineageKey),
      wanted.map(({ height }) => height),
    ],
  );
  const ends = new Map<string, bigint | 'PRESENT'>();
  for (const { node_key, lineage_key, height, next_us, is_caught_up } of rows) {
    const name = nameOf({ nodeKey: node_key, lineageKey: lineage_key, height: BigInt(height) });
    if (next_us !== null) ends.set(name, BigInt(next_us));
    else if (is_caught_up) ends.set(name, 'PRESENT');
  }
  return ends;
}

function nameOf({ nodeKey, lineageKey, height }: Omit<LastBlock, 'n'>): string {
  return `${nodeKey} ${lineageKey} ${height}`;
}

function subjectSlot(bucket: number, { nodeKey, chain }: Subject): string {
  return `${bucket} ${nodeKey} ${chain}`;
}

/** The subjects whose figures go into each group, by the group's slot of bucket 0. */
function membersByGroup(plan: ReportPlan): ReadonlyMap<string, readonly Subject[]> {
  const members = new Map<string, Subject[]>();
  for (const subject of plan.scope.subjects) {
    const group = groupOf(plan, subject);
    if (group === undefined) continue;
    const list = members.get(slotOf(0, group));
    if (list) list.push(subject);
    else members.set(slotOf(0, group), [subject]);
  }
  return members;
}

/** The group into which a subject's blocks go. A node without a chain has no blocks to tell of. */
export function groupOf({ groupBy }: ReportPlan, { nodeKey, chain }: Subject): GroupRow | undefined {
  if (chain === '' && !groupBy.has('CHAIN')) return undefined;
  return {
    node_key: groupBy.has('NODE') ? nodeKey : null,
    chain: groupBy.has('CHAIN') ? chain : null,
    namespace_key: null,
    kind: null,
    status: null,
  };
}
