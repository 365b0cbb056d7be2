import type { Query } from '../../../platform/sql.js';
import type { Slot } from './grouped-rows.js';
import { floorToQuarter, type ReportPlan } from './report-plan.js';
import { timesParameter } from './stored-rows.js';

/** A bucket of a node, or of a chain, in which a quarter hour waits to be computed again. */
interface Uncounted {
  readonly bucket: number;
  /** Null where the report tells no nodes and chains apart. */
  readonly nodeKey: number | null;
  readonly chain: string | null;
}

/**
 * Whether all that is recorded of a row's time and group is in its figures. It is asked in the snapshot that the figures are read
 * from. A mark goes in the transaction that brings its quarter hour up to date.
 */
export async function findUncounted(query: Query, plan: ReportPlan): Promise<(slot: Slot) => boolean> {
  // All that was known at a time is added up for its report alone.
  if (plan.recounted !== undefined) return () => true;
  const isOfGroups = plan.groupBy.has('NODE') || plan.groupBy.has('CHAIN');
  // A node's marks name no chain, whichever it named. The end of a report may cut a quarter hour, which it adds up itself.
  const found = await query<Uncounted>(
    `SELECT DISTINCT width_bucket(m.quarter_at, $3::timestamptz[]) - 1 AS bucket,
            ${isOfGroups ? 'm.node_key' : 'NULL::int4'} AS "nodeKey", ${isOfGroups ? 'owner.chain' : 'NULL::text'} AS chain
       FROM unnest($1::int[], $2::text[]) AS owner (node_key, chain)
       JOIN roll_up_mark m ON m.node_key = owner.node_key
        AND m.chain = CASE WHEN owner.node_key = 0 THEN owner.chain ELSE '' END
        AND m.quarter_at >= ($4::timestamptz[])[1] AND m.quarter_at < ($4::timestamptz[])[2]`,
    [
      plan.scope.owners.map(({ nodeKey }) => nodeKey),
      plan.scope.owners.map(({ chain }) => chain),
      timesParameter(plan.starts),
      timesParameter([plan.fromUs, floorToQuarter(plan.toUs)]),
    ],
  );
  const names = new Set(found.map(({ bucket, nodeKey, chain }) => nameOf(plan, bucket, nodeKey, chain)));
  return ({ bucket, group }) => !names.has(nameOf(plan, bucket, group.nodeKey, group.chain));
}

function nameOf(
  { groupBy }: ReportPlan,
  bucket: number,
  nodeKey: number | null,
  chain: string | null,
): string {
  return [bucket, groupBy.has('NODE') && nodeKey, groupBy.has('CHAIN') && chain].join(' ');
}
