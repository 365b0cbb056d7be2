import { least } from '../../../domain/collections.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../../platform/sql.js';
import { mapInTimeSlices } from '../../../platform/time-slices.js';
import type { KnownBucket } from './block-walk.query.js';

/** The head and the inclusion frontier of a node or a chain at the end of a bucket. */
export interface BlockEnd extends Pick<KnownBucket, 'owner' | 'bucket'> {
  /** Newest height of the newest lineage. */
  readonly head: bigint;
  /** The height up to which headers and data were included; null if no header is known to be included. */
  readonly frontier: bigint | null;
}

/** A look-up of how far data is included. It passes over blocks without transactions, which have no data to post. */
interface Reach {
  readonly name: string;
  /** 0 for the blocks of all nodes. */
  readonly nodeKey: number;
  readonly lineageKey: number;
  /** Data is posted up to here. */
  readonly after: bigint;
  /** The search ends here. */
  readonly upTo: bigint;
}

const REACHES = columnsFor({
  name: 'text',
  nodeKey: 'int4',
  lineageKey: 'int4',
  after: 'int8',
  upTo: 'int8',
});

export async function getBlockEnds(query: Query, places: readonly KnownBucket[]): Promise<BlockEnd[]> {
  const open = await mapInTimeSlices(places, (place) => ({ ...place, reach: toReach(place) }));
  const reached = await getReached(
    query,
    open.flatMap(({ reach }) => reach ?? []),
  );
  return mapInTimeSlices(open, ({ owner, bucket, marks: { head, header, data }, reach }) => {
    const upTo = reach === undefined ? head : (reached.get(reach.name) ?? data);
    const frontier = header === null || upTo === null ? null : least(header, upTo, head);
    return { owner, bucket, head, frontier };
  });
}

/**
 * Where to search for the first block with transactions after the last posted data. Undefined if no search is needed, because
 * no block has transactions (the data frontier is the head), or because the frontier of headers decides.
 */
function toReach({ owner: { nodeKey }, marks }: KnownBucket): Reach | undefined {
  const { lineageKey, head, header, data, hasData } = marks;
  if (!hasData || header === null || (data !== null && data >= header)) return undefined;
  const upTo = least(header, head);
  const after = data ?? 0n;
  return { name: `${nodeKey} ${lineageKey} ${after} ${upTo}`, nodeKey, lineageKey, after, upTo };
}

/** The last height before the next block with transactions, by the name of the look-up; `upTo` if there is no such block. */
async function getReached(query: Query, reaches: readonly Reach[]): Promise<ReadonlyMap<string, bigint>> {
  const distinct = [...new Map(reaches.map((reach) => [reach.name, reach])).values()];
  if (distinct.length === 0) return new Map();
  const wanted = REACHES.unnest(distinct, 'wanted');
  const rows = await query<{ name: string; reached: bigint }>(
    // Reads one entry of block_data_idx for each node: never walks over the blocks without transactions.
    `SELECT wanted.name, min(coalesce(seen.next - 1, wanted.up_to)) AS reached
       FROM ${wanted.sql}
       JOIN inclusion_walk w ON w.lineage_key = wanted.lineage_key AND wanted.node_key IN (0, w.node_key)
       CROSS JOIN LATERAL (
         SELECT min(b.height) AS next FROM block b
          WHERE b.node_key = w.node_key AND b.lineage_key = w.lineage_key AND b.tx_count > 0
            AND b.height > wanted.after AND b.height <= wanted.up_to
       ) AS seen
      GROUP BY wanted.name`,
    wanted.parameters,
  );
  return new Map(rows.map(({ name, reached }) => [name, reached]));
}
