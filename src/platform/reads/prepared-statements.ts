import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { lostPlan } from '../lost-statements.js';
import { ONE_PLAN } from '../sql.js';

/** Most plans per connection: the server needs up to 150 kB for each. Reports of fifteen kinds have thirty statements. */
const MOST_KEPT = 60;
/** Statements that are remembered to recognise those that come again. */
const MOST_SEEN = 200;

/** Statements that the server can plan ahead: `BEGIN; SET …` are two in one text. */
const PLANNED = /^\s*(?:SELECT|WITH)\b/i;

/** The statements whose plans a connection keeps. */
interface KeptStatements {
  /** How often the tables were seen to change before the first of them. */
  readonly sinceChange: number;
  /** The name of each by its text. */
  readonly names: Map<string, string>;
}

/**
 * Selects the statements that the server plans once per connection instead of each time (prepared statements). Planning a page of
 * a list takes as long as reading it.
 *
 * Only statements without parameters, or with {@link ONE_PLAN}, are kept, so that the plan always fits. The server would keep one
 * plan for all values, but a range of a minute and one of a year need different plans.
 */
export class PreparedStatements {
  private readonly seen = new LRUCache<string, true>({ max: MOST_SEEN });
  private readonly kept = new WeakMap<object, KeptStatements>();
  private changes = 0;
  private isOff = false;

  /** The name under which this connection keeps the plan; undefined when it keeps none, as for a statement's first use. */
  nameFor(connection: object, sql: string, parameters: readonly unknown[]): string | undefined {
    const mayKeep = sql.startsWith(ONE_PLAN) || (parameters.length === 0 && PLANNED.test(sql));
    if (this.isOff || !mayKeep) return undefined;
    const kept = this.kept.get(connection) ?? { sinceChange: this.changes, names: new Map() };
    if (kept.sinceChange !== this.changes) return undefined;
    const known = kept.names.get(sql);
    if (known !== undefined || !this.comesAgain(sql)) return known;
    // Processes that share a session without knowing use the same name for the same text.
    const name = `hindsight_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
    kept.names.set(sql, name);
    this.kept.set(connection, kept);
    return name;
  }

  /** Whether another connection should replace this one: it has as many plans as it may, or plans for tables as they were. */
  isUsedUp(connection: object): boolean {
    const kept = this.kept.get(connection);
    return kept !== undefined && (kept.sinceChange !== this.changes || kept.names.size >= MOST_KEPT);
  }

  /** Notes the error of a statement with a name. If its kept plan is the cause, no plan from before is used again. */
  noteError(error: unknown): void {
    const reason = lostPlan(error);
    if (reason === 'OTHER_SESSION') this.isOff = true;
    if (reason !== undefined) this.changes += 1;
  }

  /** Whether a statement was used recently. */
  private comesAgain(sql: string): boolean {
    const again = this.seen.has(sql);
    this.seen.set(sql, true);
    return again;
  }
}
