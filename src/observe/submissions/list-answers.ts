import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { comparedForm } from '../../domain/submissions/cut-row.js';
import { DEFAULT_THRESHOLDS } from '../../domain/health/health-thresholds.js';
import type { Verdict } from '../../domain/submissions/window-verdict.js';
import type { Millis } from '../../domain/time.js';

/** Shorter rows are cheaper to parse again than to look up. */
const LONG = 4_096;

/** The forms in which rows are compared. Forms of long rows are cached from one answer to the next. */
export class RowForms {
  private long = new Map<string, string>();

  /** One form for each row, in the same order. */
  of(rows: readonly string[]): string[] {
    const long = new Map<string, string>();
    const forms = rows.map((text) => {
      if (text.length < LONG) return comparedForm(text);
      const key = hash('sha256', text);
      const form = this.long.get(key) ?? comparedForm(text);
      long.set(key, form);
      return form;
    });
    this.long = long;
    return forms;
  }
}

/** The most characters of contradicting rows that are kept as evidence. */
const EVIDENCE_CHARACTERS = 4_000;
/** Answers older than the known rows say nothing about now; after this long the list counts as unreadable. */
export const STALE_PATIENCE_MS = DEFAULT_THRESHOLDS.notWatchedAfterMs;

/** The start of the rows that the node sent, as evidence. */
export function startOf(rows: readonly string[]): string {
  let text = '';
  for (const row of rows) {
    if (text.length >= EVIDENCE_CHARACTERS) break;
    text += `${row.slice(0, EVIDENCE_CHARACTERS)}\n`;
  }
  return text.slice(0, EVIDENCE_CHARACTERS).trimEnd();
}

/** Why an answer cannot be used; undefined when it can. */
export function faultOf(verdict: Verdict): string | undefined {
  if (verdict.kind === 'INVALID') return verdict.detail;
  if (verdict.kind === 'STALE') {
    const seconds = STALE_PATIENCE_MS / 1_000;
    return `for more than ${seconds} s it has shown only rows older than the recorded ones, as a cache would`;
  }
  return verdict.kind === 'CUT' ? 'the answer was cut off before it reached a recorded row' : undefined;
}

/** The number of `Date` headers that are remembered: those of a few minutes of polls. */
const REMEMBERED = 256;
/** The header has whole seconds only, and the node's clock may be a little slower than ours. */
const NEW_SECOND_MS = 2_000;

/** Recognises cached answers by their `Date`. */
export class CachedAnswers {
  /** For each `Date`, when an answer with it was first complete. */
  private readonly firstSeen = new LRUCache<Millis, Millis>({ max: REMEMBERED });
  /** The `Date` of the first answer after a restart; `NEXT` until it comes. */
  private unproven: Millis | 'NEXT' | undefined;

  /** Forgets earlier answers. A cache may have stored the next answer, so it proves nothing until a different `Date` arrives. */
  restart(): void {
    this.unproven = 'NEXT';
  }

  /** Whether an answer has the `Date` of the first answer after a restart. @param nodeClock the answer's `Date` */
  isUnproven(nodeClock: Millis | undefined): boolean {
    return nodeClock !== undefined && nodeClock === this.unproven;
  }

  /**
   * Whether the answer to a request sent at `askedAt` has an old `Date`: one that was already seen more than two seconds
   * earlier, or the `Date` of the first answer after a restart.
   *
   * @param nodeClock the answer's `Date`; undefined where it has none, which proves nothing
   */
  isCached(nodeClock: Millis | undefined, askedAt: Millis, at: Millis): boolean {
    if (nodeClock === undefined) return false;
    if (this.unproven === 'NEXT') this.unproven = nodeClock;
    // Reading it also keeps a `Date` that a cache still sends from being forgotten.
    const before = this.firstSeen.get(nodeClock);
    if (before === undefined) this.firstSeen.set(nodeClock, at);
    return this.isUnproven(nodeClock) || (before !== undefined && askedAt - before > NEW_SECOND_MS);
  }
}
