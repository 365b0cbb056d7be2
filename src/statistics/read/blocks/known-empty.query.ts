import { groupBy, least } from '../../../domain/collections.js';
import type { Micros } from '../../../domain/time.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../../platform/sql.js';
import { toGroup, toSlot, type Slot } from '../plan/grouped-rows.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { nameOfOwner, type FigureOwner } from '../plan/scope.query.js';
import type { KnownBucket } from './block-walk.query.js';

/** The highest recorded block of a node or chain before a time; the node key is 0 for a chain. */
export interface LastBlock {
  readonly nodeKey: number;
  readonly lineageKey: number;
  readonly height: bigint;
}

interface NextRow extends LastBlock {
  readonly nextUs: Micros | null;
  readonly isCaughtUp: boolean;
}

export const LAST_BLOCKS = columnsFor({ nodeKey: 'int4', lineageKey: 'int4', height: 'int8' });

/**
 * Finds whether a slot without stored blocks is known to be empty. It is if the height after the last block before the slot is
 * recorded with a later time. It also is if that last block is the newest block of a node whose blocks are all recorded.
 * Otherwise blocks may have been produced in the slot that could not be read.
 */
export async function getKnownEmpty(
  query: Query,
  plan: ReportPlan,
  places: readonly KnownBucket[],
): Promise<(slot: Slot) => boolean> {
  const lasts = new Map<string, LastBlock>();
  for (const { owner, bucket, hasBlocks, marks } of places) {
    if (hasBlocks) continue;
    const last = { nodeKey: owner.nodeKey, lineageKey: marks.lineageKey, height: marks.head };
    lasts.set(`${bucket} ${nameOfOwner(owner)}`, last);
  }
  const ends = await getEmptyEnds(query, [...lasts.values()]);
  const members = membersByGroup(plan);
  return ({ bucket, group }) => {
    const endUs = least(plan.starts[bucket + 1] ?? plan.endUs, plan.toUs);
    const owners = members.get(toSlot(0, group).name) ?? [];
    return (
      owners.length > 0 &&
      owners.every((owner) => {
        const last = lasts.get(`${bucket} ${nameOfOwner(owner)}`);
        const emptyTo = last && ends.get(nameOfBlock(last));
        return emptyTo === 'PRESENT' || (emptyTo !== undefined && endUs <= emptyTo);
      })
    );
  };
}

/** Until when no block can have followed each of these blocks; no entry if a block may have followed. */
async function getEmptyEnds(
  query: Query,
  lasts: readonly LastBlock[],
): Promise<ReadonlyMap<string, Micros | 'PRESENT'>> {
  const distinct = [...new Map(lasts.map((last) => [nameOfBlock(last), last])).values()];
  if (distinct.length === 0) return new Map();
  const wanted = LAST_BLOCKS.unnest(distinct, 'wanted');
  const rows = await query<NextRow>(
    // Looks up by the primary key, because the planner would otherwise join a long list to the whole table.
    `SELECT wanted.node_key AS "nodeKey", wanted.lineage_key AS "lineageKey", wanted.height,
            min((SELECT b.time_ns / 1000 FROM block b
                  WHERE b.node_key = w.node_key AND b.lineage_key = w.lineage_key
                    AND b.height = wanted.height + 1)) AS "nextUs",
            coalesce(bool_or(w.last_height = wanted.height AND w.last_height >= n.head), false) AS "isCaughtUp"
       FROM ${wanted.sql}
       JOIN inclusion_walk w ON w.lineage_key = wanted.lineage_key AND wanted.node_key IN (0, w.node_key)
       LEFT JOIN node n ON n.node_key = w.node_key AND n.lineage_key = w.lineage_key
      GROUP BY wanted.node_key, wanted.lineage_key, wanted.height`,
    wanted.parameters,
  );
  const ends = new Map<string, Micros | 'PRESENT'>();
  for (const { nextUs, isCaughtUp, ...last } of rows) {
    if (nextUs !== null) ends.set(nameOfBlock(last), nextUs);
    else if (isCaughtUp) ends.set(nameOfBlock(last), 'PRESENT');
  }
  return ends;
}

export function nameOfBlock({ nodeKey, lineageKey, height }: LastBlock): string {
  return `${nodeKey} ${lineageKey} ${height}`;
}

/** The nodes and chains whose figures go into each group, by the group's slot of bucket 0. */
function membersByGroup(plan: ReportPlan): ReadonlyMap<string, readonly FigureOwner[]> {
  const owners = plan.scope.owners.filter((owner) => isOfBlocks(plan, owner));
  return groupBy(owners, (owner) => toSlot(0, toGroup(plan, owner)).name);
}

/** A node without a chain has no blocks to report, unless the report is grouped by chain. */
export function isOfBlocks({ groupBy }: ReportPlan, { chain }: FigureOwner): boolean {
  return chain !== '' || groupBy.has('CHAIN');
}
