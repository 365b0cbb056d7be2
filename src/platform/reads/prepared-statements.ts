import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { codeOf } from '../errors.js';

/** Most plans per connection: the server needs some 100 kB for each. */
const MOST_KEPT = 30;
/** Statements that are remembered to recognise those that come again. */
const MOST_SEEN = 100;

/** SQLSTATE when a kept plan no longer fits the tables. */
const CHANGED_TABLES = '0A000';
/**
 * SQLSTATEs when the server does not know the name, or has it already: a pooler between us and the server changes connections.
 */
const OTHER_SESSION = new Set(['26000', '42P05']);

/**
 * Selects the statements that the server plans once per connection instead of each time (prepared statements). Planning a page of
 * a list takes as long as reading it.
 *
 * Only statements without parameters are kept, so that the plan always fits. The server would keep one plan for all values, but a
 * range of a minute and one of a year need different plans.
 */
export class PreparedStatements {
  private readonly seen = new LRUCache<string, true>({ max: MOST_SEEN });
  private readonly kept = new WeakMap<object, Set<string>>();
  private isOff = false;

  /** The name under which this connection keeps the plan; undefined when it keeps none, as for a statement's first use. */
  nameFor(connection: object, sql: string, parameters: readonly unknown[]): string | undefined {
    if (this.isOff || parameters.length > 0) return undefined;
    const kept = this.kept.get(connection) ?? new Set();
    if (!kept.has(sql) && !this.comesAgain(sql)) return undefined;
    this.kept.set(connection, kept.add(sql));
    // Processes that share a session without knowing use the same name for the same text.
    return `hindsight_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
  }

  /** Whether the connection has as many plans as it may, so that another should replace it. */
  isFull(connection: object): boolean {
    return (this.kept.get(connection)?.size ?? 0) >= MOST_KEPT;
  }

  /** Whether a statement failed only because of its kept plan, so that it can be repeated without. */
  isAtFault(error: unknown): boolean {
    const code = codeOf(error) ?? '';
    if (OTHER_SESSION.has(code)) this.isOff = true;
    return code === CHANGED_TABLES || OTHER_SESSION.has(code);
  }

  /** Whether a statement was used recently. */
  private comesAgain(sql: string): boolean {
    const again = this.seen.has(sql);
    this.seen.set(sql, true);
    return again;
  }
}
