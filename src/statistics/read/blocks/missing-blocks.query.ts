import { greatest, groupBy } from '../../../domain/collections.js';
import type { Query } from '../../../platform/sql.js';
import { isTimeSliceOver, nextTimeSlice } from '../../../platform/time-slices.js';
import { toGroup, toSlot, type Slot } from '../plan/grouped-rows.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { nameOfOwner } from '../plan/scope.query.js';
import type { HistoryRow } from './block-walk.query.js';
import { isOfBlocks, LAST_BLOCKS, nameOfBlock, type LastBlock } from './known-empty.query.js';

/** Heights without a recorded block, which may lie in any of the buckets from the first to the last. */
interface Missing {
  readonly fromBucket: number;
  readonly toBucket: number;
  readonly count: bigint;
}

/**
 * The number of unrecorded blocks that a slot may have: heights between recorded blocks, and heights after the last recorded
 * block up to the head of a node. Heights between two blocks of different buckets may lie in any bucket from one to the other,
 * and count in each. Null if an older release stored the figures.
 */
export async function getMissing(
  query: Query,
  plan: ReportPlan,
  rows: readonly HistoryRow[],
): Promise<(slot: Slot) => bigint | null> {
  const histories = [
    ...groupBy(
      rows.filter(({ head }) => head !== null),
      (row) => `${row.lineageKey} ${nameOfOwner(row)}`,
    ).values(),
  ];
  const after = await countAfter(query, histories.flatMap(lastOf));
  const counts = new Map<string, bigint | null>();
  for (const history of histories) {
    const [owner] = history;
    if (owner === undefined || !isOfBlocks(plan, owner)) continue;
    const [last] = lastOf(history);
    const behind = last === undefined ? 0n : (after.get(nameOfBlock(last)) ?? 0n);
    for (const { fromBucket, toBucket, count } of findMissing(history, behind, plan.starts.length)) {
      for (let bucket = Math.max(0, fromBucket); bucket <= toBucket; bucket++) {
        if (isTimeSliceOver()) await nextTimeSlice();
        const { name } = toSlot(bucket, toGroup(plan, owner));
        counts.set(name, (counts.get(name) ?? 0n) + count);
      }
    }
    for (const { bucket, first } of history)
      if (first === null) counts.set(toSlot(bucket, toGroup(plan, owner)).name, null);
  }
  return ({ name }) => (counts.has(name) ? (counts.get(name) ?? null) : 0n);
}

/** @param history its rows with blocks, by rising bucket */
function findMissing(history: readonly HistoryRow[], behind: bigint, buckets: number): Missing[] {
  const found: Missing[] = [];
  const note = (fromBucket: number, toBucket: number, count: bigint): void => {
    if (count > 0n) found.push({ fromBucket, toBucket, count });
  };
  let before: { readonly bucket: number; readonly head: bigint } | undefined;
  for (const { bucket, first, head, produced } of history) {
    if (first === null || head === null) continue;
    if (before) note(before.bucket, bucket, first - before.head - 1n);
    note(bucket, bucket, head - first + 1n - produced);
    if (before === undefined || head >= before.head) before = { bucket, head };
  }
  if (before) note(before.bucket, buckets - 1, behind);
  return found;
}

function lastOf(history: readonly HistoryRow[]): LastBlock[] {
  const [row] = history;
  const [first, ...others] = history.flatMap(({ head }) => head ?? []);
  if (row === undefined || first === undefined) return [];
  return [{ nodeKey: row.nodeKey, lineageKey: row.lineageKey, height: greatest(first, ...others) }];
}

/** The number of unrecorded heights after each of these blocks, up to the next recorded block, else up to the head. */
async function countAfter(query: Query, lasts: readonly LastBlock[]): Promise<ReadonlyMap<string, bigint>> {
  if (lasts.length === 0) return new Map();
  const wanted = LAST_BLOCKS.unnest(lasts, 'wanted');
  const rows = await query<LastBlock & { readonly end: bigint | null }>(
    `SELECT wanted.node_key AS "nodeKey", wanted.lineage_key AS "lineageKey", wanted.height,
            coalesce(min((SELECT min(b.height) FROM block b
                           WHERE b.node_key = w.node_key AND b.lineage_key = w.lineage_key
                             AND b.height > wanted.height)) - 1, max(n.head)) AS end
       FROM ${wanted.sql}
       JOIN inclusion_walk w ON w.lineage_key = wanted.lineage_key AND wanted.node_key IN (0, w.node_key)
       LEFT JOIN node n ON n.node_key = w.node_key AND n.lineage_key = w.lineage_key
      GROUP BY wanted.node_key, wanted.lineage_key, wanted.height`,
    wanted.parameters,
  );
  return new Map(rows.map(({ end, ...last }) => [nameOfBlock(last), end === null ? 0n : end - last.height]));
}
