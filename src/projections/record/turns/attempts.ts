import { entryOf } from '../../../domain/collections.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import { decide, type Row } from '../decisions/row.js';
import type { RecordMemory } from '../memory.js';
import { SELECT_ROW } from './stored-rows.js';

/** If a node has more equal rows than this, each further one counts: matching it would require reading all of them. */
export const MOST_EQUAL = 1_000;

const TOUCHED = columnsFor({
  chainId: 'text',
  occurredAt: 'timestamptz',
  digest: 'int8',
  nodeKey: 'int4',
  sequence: 'int8',
  fromPosition: 'int8',
  n: 'int4',
});
const MEMBER = columnsFor({ chainId: 'text', nodeKey: 'int4' });
const CONTENT = 'chain_id, occurred_at, digest';
/** SQL: stored rows equal to the wanted ones. A row whose own time is implausible is stored under the observer's time. */
const STORED = ['NOT wild_time AND time_at = w.occurred_at', 'wild_time AND occurred_at = w.occurred_at'].map(
  (isThen) => `
   SELECT s.chain_id, s.occurred_at, s.digest, s.node_key, s.sequence, s.from_position, NULL::int AS n, s.counts_for_chain
     FROM w CROSS JOIN LATERAL (
       SELECT * FROM submission WHERE node_key = w.node_key AND digest = w.digest AND ${isThen}
        ORDER BY sequence LIMIT ${MOST_EQUAL}) s
    WHERE s.chain_id = w.chain_id`,
);

/**
 * Decides which rows count for their chain, among all rows that equal one of these in every field.
 *
 * Rows of several nodes are one attempt: the k-th row of one node is the k-th of another. Of each attempt, the row that was
 * recorded first counts. So a row counts if its node had shown more equal rows by then than any other node.
 *
 * @param touched new rows, which count so far; or stored rows that changed their chain, with the new chain and with the old
 * one
 * @param position of the event that changed their chain; undefined for new rows, which are decided as of their own event
 * @returns the rows for which this changed
 */
export async function countAttempts(
  touched: readonly Row[],
  position: bigint | undefined,
  { names, walks, lineagesOf, nodes }: Pick<RecordMemory, 'names' | 'walks' | 'lineagesOf' | 'nodes'>,
  query: Query,
): Promise<Row[]> {
  /** The nodes that have or had a chain, and whose lists have shown rows. */
  const membersOf = (chain: string): number[] => {
    const walked = (lineagesOf.get(chain) ?? []).flatMap((key) => walks.ofLineage(key));
    const keys = new Set([...names.nodesOf(chain), ...walked.map(({ nodeKey }) => nodeKey)]);
    return [...keys].filter((nodeKey) => nodes.get(nodeKey).submissionCount > 0n);
  };
  const members = new Map<string, number[]>();
  const asked = touched.filter(({ chainId, occurredAt, digest, isStored }) => {
    if (chainId === null || occurredAt === null || digest === null) return false;
    // New rows of a single node are always separate attempts.
    return entryOf(members, chainId, () => membersOf(chainId)).length > (isStored ? 0 : 1);
  });
  if (asked.length === 0) return [];
  const list = TOUCHED.unnest(
    asked.map(({ chainId, occurredAt, digest, nodeKey, sequence, fromPosition, isStored }, index) => {
      return { chainId, occurredAt, digest, nodeKey, sequence, fromPosition, n: isStored ? null : index };
    }),
    'touched',
  );
  const pairs = [...members].flatMap(([chainId, keys]) => keys.map((nodeKey) => ({ chainId, nodeKey })));
  const whose = MEMBER.unnest(pairs, 'm', list.parameters.length + 1);
  const found = await query<Row & { n: number | null }>(
    `WITH touched AS (SELECT * FROM ${list.sql}), w AS (
       SELECT DISTINCT ${CONTENT}, m.node_key FROM touched JOIN ${whose.sql} USING (chain_id)
     ), equal AS (
       SELECT *, true AS counts_for_chain FROM touched WHERE n IS NOT NULL UNION ALL ${STORED.join(' UNION ALL ')}
     ), numbered AS (
       SELECT *, row_number() OVER (PARTITION BY ${CONTENT}, node_key ORDER BY from_position, sequence) AS k FROM equal
     ), counted AS (
       SELECT *, k > least(coalesce(max(k) OVER (PARTITION BY ${CONTENT} ORDER BY from_position, sequence
                                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0), ${MOST_EQUAL}) AS counts FROM numbered
     )
     SELECT ${SELECT_ROW}, c.n FROM counted c LEFT JOIN LATERAL (
       SELECT * FROM submission WHERE c.n IS NULL AND node_key = c.node_key AND sequence = c.sequence OFFSET 0) s ON true
      WHERE c.counts <> c.counts_for_chain`,
    [...list.parameters, ...whose.parameters],
  );
  return found.map((each) => {
    const row = (each.n === null ? undefined : asked[each.n]) ?? each;
    decide(row, position ?? row.fromPosition, { countsForChain: !row.countsForChain });
    return row;
  });
}
