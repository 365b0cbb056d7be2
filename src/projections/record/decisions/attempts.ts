import { compareIntegers, entryOf } from '../../../domain/collections.js';
import { findFirsts, MOST_EQUAL } from '../../../domain/submissions/first-of-attempts.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';
import type { SubmissionRecord } from '../facts/submissions.js';
import type { RecordMemory } from '../memory.js';
import { decide, SELECT_ROW, type Row, type Rows } from './row.js';

/** A row that has gone over to another chain. */
export interface MovedRow {
  readonly row: Row;
  /** The chain that it left; null for none. */
  readonly before: string | null;
  /** The event that told it. */
  readonly position: bigint;
}

/** The books that tell which nodes may have rows of a chain. */
type Members = Pick<RecordMemory, 'names' | 'walks' | 'lineagesOf' | 'nodes' | 'turns'>;

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
  const equal = new EqualRows<SubmissionRecord>();
  for (const row of rows) equal.add(row);
  // Of one node each row is an attempt of its own.
  const wanted = equal.wanted((chain) => {
    const nodes = nodesWithRows(chain, members);
    return nodes.size > 1 ? nodes : [];
  });
  if (wanted.length === 0) return;
  const list = WANTED.unnest(wanted, 'w');
  const found = await query<{ n: number; nodeKey: number; count: number }>(
    IS_EQUAL.map(
      (isEqual) => `SELECT w.n, w.node_key AS "nodeKey", s.count FROM ${list.sql} CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE s.chain_id = w.chain_id)::int AS count
           FROM (SELECT s.chain_id FROM submission s WHERE ${isEqual} LIMIT ${MOST_EQUAL}) s) s WHERE s.count > 0`,
    ).join(' UNION ALL '),
    list.parameters,
  );
  const before = equal.groups.map(() => new Map<number, number>());
  for (const { n, nodeKey, count } of found) before[n]?.set(nodeKey, (before[n].get(nodeKey) ?? 0) + count);
  equal.groups.forEach((group, n) => {
    const counts = findFirsts(
      group.map(({ nodeKey }) => nodeKey),
      before[n],
    );
    group.forEach((row, index) => (row.countsForChain = counts[index] ?? true));
  });
}

/**
 * Decides the same anew where rows left a chain and came to another.
 *
 * @param rows those of the turn
 * @returns the rows of which it is another now
 */
export async function countMoved(
  moved: readonly MovedRow[],
  rows: Rows,
  members: Members,
  query: Query,
): Promise<Row[]> {
  const equal = new EqualRows<Row>();
  const positions: bigint[] = [];
  const nodes = new Set<number>();
  for (const { row, before, position } of moved) {
    nodes.add(row.nodeKey);
    for (const chainId of [before, row.chainId]) {
      if (equal.add({ ...row, chainId })) positions.push(position);
    }
  }
  const wanted = equal.wanted((chain) => new Set([...nodesWithRows(chain, members), ...nodes]));
  if (wanted.length === 0) return [];
  const list = WANTED.unnest(wanted, 'w');
  const found = await query<Row & { n: number }>(
    IS_EQUAL.map(
      (isEqual) => `SELECT w.n, s.* FROM ${list.sql} CROSS JOIN LATERAL (
         SELECT ${SELECT_ROW} FROM submission s WHERE ${isEqual} ORDER BY s.sequence LIMIT ${MOST_EQUAL}) s`,
    ).join(' UNION ALL '),
    list.parameters,
  );
  const groups = equal.groups.map((): Row[] => []);
  for (const { n, ...row } of found) groups[n]?.push(rows.identify(row));
  return groups.flatMap((group, n) => {
    const chain = equal.groups[n]?.[0]?.chainId;
    const position = positions[n] ?? 0n;
    return countAnew(
      group.filter(({ chainId }) => chainId === chain),
      position,
    );
  });
}

function countAnew(equal: readonly Row[], position: bigint): Row[] {
  const inOrder = equal.toSorted(
    (a, b) => compareIntegers(a.fromPosition, b.fromPosition) || compareIntegers(a.sequence, b.sequence),
  );
  const counts = findFirsts(inOrder.map(({ nodeKey }) => nodeKey));
  return inOrder.filter((row, index) => {
    // A row that was recorded since the event has never been of another attempt.
    const from = row.evidenceFromPosition > position ? row.evidenceFromPosition : position;
    return decide(row, from, { countsForChain: counts[index] ?? true });
  });
}

/** Rows by chain and content. */
class EqualRows<R extends Pick<Row, 'chainId' | 'occurredAt' | 'digest'>> {
  readonly groups: R[][] = [];
  private readonly byContent = new Map<string, R[]>();

  /** Adds a row, but for one that no other can equal: without a chain or a time. @returns whether it is the first of its group */
  add(row: R): boolean {
    const { chainId, occurredAt, digest } = row;
    if (chainId === null || occurredAt === null || digest === null) return false;
    const group = entryOf(this.byContent, `${occurredAt} ${digest} ${chainId}`, () => []);
    const isFirst = group.push(row) === 1;
    if (isFirst) this.groups.push(group);
    return isFirst;
  }

  /** Each group with each node that may have stored rows of it. */
  wanted(nodesOf: (chain: string) => Iterable<number>) {
    const nodes = new Map<string, readonly number[]>();
    return this.groups.flatMap(([first], n) => {
      const { chainId, occurredAt, digest } = first as R;
      const keys = entryOf(nodes, chainId ?? '', () => [...nodesOf(chainId ?? '')]);
      return keys.map((nodeKey) => ({ n, nodeKey, chainId, occurredAt, digest }));
    });
  }
}

/** The nodes that have, or had, a chain and whose lists have shown rows. */
function nodesWithRows(chain: string, { names, walks, lineagesOf, nodes, turns }: Members): Set<number> {
  const keys = new Set([...(names.nodesOf.get(chain) ?? []), ...turns.nodesLeaving(chain)]);
  for (const lineageKey of lineagesOf.get(chain) ?? []) {
    for (const { nodeKey } of walks.ofLineage(lineageKey)) keys.add(nodeKey);
  }
  return new Set([...keys].filter((nodeKey) => nodes.get(nodeKey).submissionCount > 0n));
}
