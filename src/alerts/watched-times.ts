import type { HealthSpan } from '../domain/alerts/decide-alerts.js';
import { groupBy } from '../domain/collections.js';
import { formatTime, microsToMillis, millisToNanos, type Micros, type Millis } from '../domain/time.js';
import type { Database } from '../platform/sql.js';

/** An observer's clock is at most so far from the database's. */
const CLOCKS_DIFFER = "interval '1 hour'";

interface Times {
  readonly from: Millis;
  readonly to: Millis;
}

/** A node came into the settings, or left them. Type, time and position are null for a node without either in the time. */
interface Change {
  readonly node: string;
  readonly isRetired: boolean;
  readonly type: 'NodeRegistered' | 'NodeRetired' | null;
  readonly at: Micros | null;
  readonly position: bigint | null;
}

/** The ids of the nodes that are watched now. */
export async function readWatched(source: Pick<Database, 'query'>): Promise<string[]> {
  const rows = await source.query<{ id: string }[]>('SELECT id FROM node WHERE NOT retired');
  return rows.map(({ id }) => id);
}

/**
 * When nodes were watched.
 * @param since on the observer's clock; what was before is not told
 * @param knownAt position of the log: by what was recorded there; undefined: by all
 */
export async function readWatchedTimes(
  source: Pick<Database, 'query'>,
  since: Millis,
  knownAt?: bigint,
): Promise<WatchedTimes> {
  const changes = await source.query<Change[]>(
    `SELECT n.id AS node, n.retired AS "isRetired", e.type, e.observed_at AS at, e.position
       FROM node n LEFT JOIN event e ON e.stream = n.id || '/node' AND e.type IN ('NodeRegistered', 'NodeRetired')
        AND e.observed_at >= $1::timestamptz AND e.recorded_at >= $1::timestamptz - ${CLOCKS_DIFFER}
      ORDER BY n.id, e.version`,
    [formatTime(millisToNanos(since), 3)],
  );
  return new WatchedTimes(changes, knownAt);
}

/** The times in which each node was watched. */
export class WatchedTimes {
  private readonly times: ReadonlyMap<string, readonly Times[]>;

  /** @param changes in their order, those of a node together */
  constructor(changes: readonly Change[], knownAt?: bigint) {
    const nodes = groupBy(changes, ({ node }) => node);
    this.times = new Map([...nodes].map(([node, own]) => [node, timesOf(own, knownAt)]));
  }

  /** The ids of those that were watched at a moment. */
  nodesAt(at: Millis): string[] {
    return [...this.times].flatMap(([node, times]) =>
      times.some(({ from, to }) => from <= at && at < to) ? [node] : [],
    );
  }

  /** Tells whether any node was watched at some moment between these, inclusive. */
  isAnyWatched(from: Millis, to: Millis): boolean {
    return [...this.times.values()].some((times) => times.some((one) => one.from <= to && from < one.to));
  }

  /** The parts of an interval of health in which its node was watched: nobody is told of it in between. */
  cut(span: HealthSpan): HealthSpan[] {
    const times = this.times.get(span.node) ?? [];
    return times.flatMap(({ from, to }) => {
      const begin = Math.max(span.from, from);
      const end = Math.min(span.to ?? Infinity, to);
      return begin < end ? [{ ...span, from: begin, to: end === Infinity ? null : end }] : [];
    });
  }
}

function timesOf(changes: readonly Change[], knownAt: bigint | undefined): Times[] {
  const times: Times[] = [];
  const [first] = changes;
  // A change means that the node was the opposite before.
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
