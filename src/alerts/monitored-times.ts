import type { HealthSpan } from '../domain/alerts/trouble-runs.js';
import { groupBy } from '../domain/collections.js';
import { formatTime, microsToMillis, millisToNanos, type Micros, type Millis } from '../domain/time.js';
import type { Database } from '../platform/sql.js';

/** The largest difference between an observer's clock and the database's. */
const CLOCKS_DIFFER = "interval '1 hour'";

interface Times {
  readonly from: Millis;
  readonly to: Millis;
}

/** A node was added to the settings, or removed. Type, time and position are null for a node without a change in the period. */
interface RegistrationChange {
  readonly node: string;
  readonly isRetired: boolean;
  readonly type: 'NodeRegistered' | 'NodeRetired' | null;
  readonly at: Micros | null;
  readonly position: bigint | null;
}

/** A chain that a node named; the time of the first one is null, since the time before belongs to it as well. */
interface Name {
  readonly node: string;
  readonly chain: string | null;
  readonly at: Micros | null;
}

/** The chain of each node, by node id; null until it is known. */
export type ChainsByNode = ReadonlyMap<string, string | null>;

/**
 * Reads when nodes were monitored.
 * @param since on the observer's clock; earlier changes are left out. Undefined: the last removal of nodes that are not monitored
 *   now, which is all that matters now and needs no search of the log
 * @param knownAt position of the log: as recorded up to there; undefined: all
 */
export async function readMonitoredTimes(
  source: Pick<Database, 'query'>,
  since?: Millis,
  knownAt?: bigint,
): Promise<MonitoredTimes> {
  const isChange =
    since === undefined
      ? 'n.retired AND e.position = n.to_position'
      : `e.stream = n.id || '/node' AND e.type IN ('NodeRegistered', 'NodeRetired')
         AND e.observed_at >= $1::timestamptz AND e.recorded_at >= $1::timestamptz - ${CLOCKS_DIFFER}`;
  const changes = await source.query<RegistrationChange[]>(
    `SELECT n.id AS node, n.retired AS "isRetired", e.type, e.observed_at AS at, e.position
       FROM node n LEFT JOIN event e ON ${isChange} ORDER BY n.id, e.version`,
    since === undefined ? [] : [formatTime(millisToNanos(since), 3)],
  );
  const names = await source.query<Name[]>(
    `SELECT n.id AS node, coalesce(c.chain_id, n.chain_id) AS chain, e.observed_at AS at
       FROM node n LEFT JOIN node_chain c USING (node_key) LEFT JOIN event e ON e.position = c.from_position
      ORDER BY n.id, c.from_position`,
  );
  return new MonitoredTimes(changes, names, knownAt);
}

/** The times in which each node was monitored, and the chains that it named. */
export class MonitoredTimes {
  private readonly times: ReadonlyMap<string, readonly Times[]>;
  private readonly names: ReadonlyMap<string, readonly Name[]>;

  /**
   * @param changes in their order, grouped by node
   * @param names in their order, grouped by node
   */
  constructor(changes: readonly RegistrationChange[], names: readonly Name[], knownAt?: bigint) {
    const nodes = groupBy(changes, ({ node }) => node);
    this.times = new Map([...nodes].map(([node, own]) => [node, timesOf(own, knownAt)]));
    this.names = groupBy(names, ({ node }) => node);
  }

  /** The nodes that were monitored at a moment, with their chains at that moment. */
  nodesAt(at: Millis): ChainsByNode {
    return new Map(this.nodesBetween(at, at).map((node) => [node, this.chainAt(node, at)]));
  }

  /** Ids of the nodes that were monitored at some moment between these, inclusive. */
  nodesBetween(from: Millis, to: Millis): string[] {
    const isIn = (one: Times): boolean => one.from <= to && from < one.to;
    return [...this.times].flatMap(([node, times]) => (times.some(isIn) ? [node] : []));
  }

  /** The chains of each node that named several. */
  get moves(): readonly (readonly string[])[] {
    const named = [...this.names.values()].map((names) => names.flatMap(({ chain }) => chain ?? []));
    return named.filter((chains) => chains.length > 1);
  }

  private chainAt(node: string, moment: Millis): string | null {
    const said = this.names.get(node)?.findLast(({ at }) => at === null || microsToMillis(at) <= moment);
    return said?.chain ?? null;
  }

  /** The parts of a health interval in which its node was monitored: the times in between are not reported. */
  cut(span: HealthSpan): HealthSpan[] {
    const times = this.times.get(span.node) ?? [];
    return times.flatMap(({ from, to }) => {
      const begin = Math.max(span.from, from);
      const end = Math.min(span.to ?? Infinity, to);
      return begin < end ? [{ ...span, from: begin, to: end === Infinity ? null : end }] : [];
    });
  }
}

function timesOf(changes: readonly RegistrationChange[], knownAt: bigint | undefined): Times[] {
  const times: Times[] = [];
  const [first] = changes;
  // A change means that the node was in the opposite state before.
  const wasWatched = first?.type ? first.type === 'NodeRetired' : first?.isRetired === false;
  let from: Millis | undefined = wasWatched ? -Infinity : undefined;
  for (const { type, at, position } of changes) {
    if (at === null || position === null || (knownAt !== undefined && position > knownAt)) continue;
    if (type === 'NodeRegistered') from ??= microsToMillis(at);
    else if (from !== undefined) {
      times.push({ from, to: microsToMillis(at) });
      from = undefined;
    }
  }
  return from === undefined ? times : [...times, { from, to: Infinity }];
}
