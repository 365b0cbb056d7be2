import { entryOf } from '../../../domain/collections.js';
import { findFirsts, MOST_EQUAL } from '../../../domain/submissions/first-of-attempts.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import type { SubmissionRecord } from '../facts/submissions.js';
import type { RecordMemory } from '../memory.js';
import { decide, type Row } from '../decisions/row.js';
import type { MovedRow } from './marks.js';
import { SELECT_ROW } from './stored-rows.js';

/** The books that tell which nodes may have rows of a chain. */
type Members = Pick<RecordMemory, 'names' | 'walks' | 'lineagesOf' | 'nodes'>;
type Content = Pick<Row, 'chainId' | 'occurredAt' | 'digest'>;

const WANTED = columnsFor({
  n: 'int4',
  nodeKey: 'int4',
  chainId: 'text',
  occurredAt: 'timestamptz',
  digest: 'int8',
});
/** SQL: that a row `s` is equal to what is wanted. Those of a time that is not believed stand under another one. */
const IS_EQUAL = [
  's.time_at = w.occurred_at AND NOT s.wild_time',
  's.wild_time AND s.occurred_at = w.occurred_at',
].map((time) => `s.node_key = w.node_key AND s.digest = w.digest AND ${time}`);

/** Decides which rows of a batch count for their chain. They are not stored yet. */
export async function countNew(
  rows: readonly SubmissionRecord[],
  members: Members,
  query: Query,
): Promise<void> {
  const groups = equalRows(rows);
  // Of one node each row is an attempt of its own.
  const list = wantedOf(groups, (chain) => {
    const nodes = nodesWithRows(chain, members);
    return nodes.size > 1 ? nodes : [];
  });
  if (!list) return;
  const found = await query<{ n: number; nodeKey: number; count: number }>(
    IS_EQUAL.map(
      (isEqual) => `SELECT w.n, w.node_key AS "nodeKey", s.count FROM ${list.sql} CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE s.chain_id = w.chain_id)::int AS count
           FROM (SELECT s.chain_id FROM submission s WHERE ${isEqual} LIMIT ${MOST_EQUAL}) s) s WHERE s.count > 0`,
    ).join(' UNION ALL '),
    list.parameters,
  );
  const before = groups.map(() => new Map<number, number>());
  for (const { n, nodeKey, count } of found) before[n]?.set(nodeKey, (before[n].get(nodeKey) ?? 0) + count);
  groups.forEach((group, n) => {
    const counts = findFirsts(
      group.map(({ nodeKey }) => nodeKey),
      before[n],
    );
    group.forEach((row, index) => (row.countsForChain = counts[index] ?? true));
  });
}

/**
 * Decides the same anew where stored rows left a chain and came to another: in SQL what `findFirsts` says.
 *
 * @returns the rows of which it is another now
 */
export async function countMoved(
  moved: readonly MovedRow[],
  position: bigint,
  members: Members,
  query: Query,
): Promise<Row[]> {
  const nodes = moved.map(({ row }) => row.nodeKey);
  const contents = moved.flatMap(({ row, before }): Content[] => [row, { ...row, chainId: before }]);
  const list = wantedOf(
    equalRows(contents),
    (chain) => new Set([...nodesWithRows(chain, members), ...nodes]),
  );
  if (!list) return [];
  const rows = await query<Row>(
    `WITH equal AS (${IS_EQUAL.map(
      (isEqual) => `SELECT w.n, s.* FROM ${list.sql} CROSS JOIN LATERAL (
         SELECT * FROM submission s WHERE ${isEqual} ORDER BY s.sequence LIMIT ${MOST_EQUAL}) s WHERE s.chain_id = w.chain_id`,
    ).join(' UNION ALL ')}), numbered AS (
       SELECT *, row_number() OVER (PARTITION BY n, node_key ORDER BY from_position, sequence) AS k FROM equal
     ), counted AS (
       SELECT *, k > coalesce(max(k) OVER (PARTITION BY n ORDER BY from_position, sequence
                                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS counts FROM numbered)
     SELECT ${SELECT_ROW} FROM counted s WHERE s.counts <> s.counts_for_chain`,
    list.parameters,
  );
  for (const row of rows) decide(row, position, { countsForChain: !row.countsForChain });
  return rows;
}

/** Rows by chain and content, but for those that no other can equal: without a chain or a time. */
function equalRows<R extends Content>(rows: readonly R[]): R[][] {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const { chainId, occurredAt, digest } = row;
    if (chainId === null || occurredAt === null || digest === null) continue;
    entryOf(groups, `${occurredAt} ${digest} ${chainId}`, () => []).push(row);
  }
  return [...groups.values()];
}

/** Each group with each node that may have stored rows of it; undefined: there is none. */
function wantedOf(groups: readonly (readonly Content[])[], nodesOf: (chain: string) => Iterable<number>) {
  const nodes = new Map<string, readonly number[]>();
  const wanted = groups.flatMap(([first], n) => {
    const { chainId, occurredAt, digest } = first as Content;
    const keys = entryOf(nodes, chainId ?? '', () => [...nodesOf(chainId ?? '')]);
    return keys.map((nodeKey) => ({ n, nodeKey, chainId, occurredAt, digest }));
  });
  return wanted.length === 0 ? undefined : WANTED.unnest(wanted, 'w');
}

/** The nodes that have, or had, a chain and whose lists have shown rows. */
function nodesWithRows(chain: string, { names, walks, lineagesOf, nodes }: Members): Set<number> {
  const keys = new Set(names.nodesOf(chain));
  for (const lineageKey of lineagesOf.get(chain) ?? []) {
    for (const { nodeKey } of walks.ofLineage(lineageKey)) keys.add(nodeKey);
  }
  return new Set([...keys].filter((nodeKey) => nodes.get(nodeKey).submissionCount > 0n));
}
