import { createHash } from 'node:crypto';
import { codeOf } from '../errors.js';

/** Plans of a connection at most: the server keeps some 100 kB for each. */
const MOST_KEPT = 30;
/** Texts that are remembered to find those that come again. */
const MOST_SEEN = 100;

/** What of a plan that was kept does not fit the tables any more. */
const CHANGED_TABLES = '0A000';
/** The server does not know the name, or knows it already: what stands between us and it changes connections. */
const OTHER_SESSION = new Set(['26000', '42P05']);

/**
 * Which statements the server plans once for each connection instead of each time (prepared statements). To plan a page
 * of a list takes as long as to read it.
 *
 * Only those without parameters, so that the plan fits whatever is asked. The server would keep one plan for all
 * values, but a time of a minute and one of a year want different plans.
 */
export class KeptPlans {
  private readonly seen = new Set<string>();
  private readonly kept = new WeakMap<object, Map<string, string>>();
  private isOff = false;

  /** The name under which this connection keeps the plan; undefined: it does not, as of what is asked for the first time. */
  nameFor(connection: object, sql: string, parameters: readonly unknown[]): string | undefined {
    if (this.isOff || parameters.length > 0) return undefined;
    const names = this.namesOf(connection);
    const known = names.get(sql);
    if (known !== undefined || names.size >= MOST_KEPT || !this.comesAgain(sql)) return known;
    // Where several processes share a session without knowing, one name is one text.
    const name = `hindsight_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
    names.set(sql, name);
    return name;
  }

  /** Whether it keeps as many as it may, so that another connection should take its place. */
  isFull(connection: object): boolean {
    return this.namesOf(connection).size >= MOST_KEPT;
  }

  /** Whether a statement failed for its kept plan alone, so that it can be asked without. */
  isAtFault(error: unknown): boolean {
    const code = codeOf(error) ?? '';
    if (OTHER_SESSION.has(code)) this.isOff = true;
    return code === CHANGED_TABLES || OTHER_SESSION.has(code);
  }

  private namesOf(connection: object): Map<string, string> {
    const known = this.kept.get(connection);
    if (known !== undefined) return known;
    const names = new Map<string, string>();
    this.kept.set(connection, names);
    return names;
  }

  /** Whether a text was asked for not long ago. */
  private comesAgain(sql: string): boolean {
    const again = this.seen.delete(sql);
    this.seen.add(sql);
    const [oldest] = this.seen;
    if (this.seen.size > MOST_SEEN && oldest !== undefined) this.seen.delete(oldest);
    return again;
  }
}
