import { ownerOf, type RecordedEvent } from '../domain/events.js';
import type { Micros } from '../domain/time.js';
import { ONE_PLAN, type QuerySource } from '../platform/sql.js';

/** Last part of the names of streams with orders to exclude a node. */
export const EXCLUSION = '/exclusion';

const ORDERS_IN_FORCE = `stream_head h JOIN event e USING (stream, version)
   WHERE e.type = 'NodeExcluded' AND`;
const OF_ALL_NODES = `right(h.stream, length('${EXCLUSION}')) = '${EXCLUSION}'`;

/** SQL: a JSON list, in a fixed order, of the nodes that operators have excluded. */
export const EXCLUDED = `(
  SELECT coalesce(jsonb_agg(left(h.stream, -length('${EXCLUSION}')) ORDER BY h.stream COLLATE "C"), '[]')
    FROM ${ORDERS_IN_FORCE} ${OF_ALL_NODES})`;

/** Whether an event is only known from an excluded node. Events of a chain are, if the node was their only source. */
export function isExcluded(
  { stream, type, body }: Pick<RecordedEvent, 'stream' | 'type'> & { readonly body?: unknown },
  excluded: readonly string[],
): boolean {
  if (excluded.length === 0) return false;
  if (type === 'ChainLineageOpened')
    return excluded.includes((body as { readonly node?: string } | undefined)?.node ?? '');
  return !/\/(?:chain|operator)$/.test(stream) && excluded.includes(ownerOf(stream));
}

/** An order to exclude a node, in force. */
export interface Exclusion {
  readonly node: string;
  readonly why: string;
  readonly by: string;
  readonly at: Micros;
}

/**
 * The excluded nodes, by id.
 * @param nodes only these; all if left out
 */
export async function readExclusions(source: QuerySource, nodes?: readonly string[]): Promise<Exclusion[]> {
  const isAsked = nodes ? 'h.stream = ANY ($1)' : OF_ALL_NODES;
  const parameters = nodes && [nodes.map((node) => `${node}${EXCLUSION}`)];
  // Without any order, every query about a node is spared the plan for all months of the log.
  const [any] = await source.query<object[]>(
    `${ONE_PLAN} SELECT 1 FROM stream_head h WHERE ${isAsked} LIMIT 1`,
    parameters,
  );
  if (any === undefined) return [];
  return source.query<Exclusion[]>(
    `SELECT left(h.stream, -length('${EXCLUSION}')) AS node, e.body->>'why' AS why, e.body->>'by' AS by, e.observed_at AS at
       FROM ${ORDERS_IN_FORCE} ${isAsked} ORDER BY h.stream COLLATE "C"`,
    parameters,
  );
}
