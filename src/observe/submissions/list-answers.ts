import { hash } from 'node:crypto';
import { comparedForm } from '../../domain/submissions/cut-row.js';
import { DEFAULT_THRESHOLDS } from '../../domain/health/health-thresholds.js';
import type { Verdict } from '../../domain/submissions/window-verdict.js';
import type { Millis } from '../../domain/time.js';

/** Shorter rows cost less to read again than to look up. */
const LONG = 4_096;

/** The forms in which rows are compared; those of long rows are kept from one answer to the next. */
export class RowForms {
  private long = new Map<string, string>();

  /** One for each row, in their order. */
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

/** Bytes of rows that contradict each other that are kept as evidence. */
const EVIDENCE_CHARACTERS = 4_000;
/** Answers that are older than what is known tell nothing of now; after this long the list counts as one that cannot be read. */
export const STALE_PATIENCE_MS = DEFAULT_THRESHOLDS.notWatchedAfterMs;

/** The start of what was sent, as evidence. */
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
    return `for more than ${seconds} s it has shown only what is older than what is known, as a cache would`;
  }
  return verdict.kind === 'CUT' ? 'the answer was cut off before it reached a row that is known' : undefined;
}

/** `Date` headers that are remembered: those of some minutes of looks. */
const REMEMBERED = 256;
/** The header tells whole seconds; the clock of its node may be a little slower than ours. */
const NEW_SECOND_MS = 2_000;

/** Tells answers that were kept by a cache from those that a node gives now, by their `Date`. */
export class CachedAnswers {
  /** By `Date`, when an answer with it was complete for the first time. */
  private readonly firstSeen = new Map<Millis, Millis>();
  /** The `Date` of the first answer after a restart; `NEXT` until it comes. */
  private unproven: Millis | 'NEXT' | undefined;

  /** Nobody remembers earlier answers. A cache may have kept the next one, so it proves nothing until another `Date` comes. */
  restart(): void {
    this.unproven = 'NEXT';
  }

  /** Whether an answer bears the `Date` of the first one after a restart. @param nodeClock its `Date` */
  isUnproven(nodeClock: Millis | undefined): boolean {
    return nodeClock !== undefined && nodeClock === this.unproven;
  }

  /**
   * Whether an answer that was asked for at `askedAt` bears an old `Date`. Such is that of an answer that was there two
   * seconds before, or of the first one after a restart.
   * @param nodeClock its `Date`; undefined where it has none, which tells nothing
   */
  isCached(nodeClock: Millis | undefined, askedAt: Millis, at: Millis): boolean {
    if (nodeClock === undefined) return false;
    if (this.unproven === 'NEXT') this.unproven = nodeClock;
    const before = this.firstSeen.get(nodeClock);
    // Put last again: what a cache still sends must not be forgotten.
    this.firstSeen.delete(nodeClock);
    this.firstSeen.set(nodeClock, before ?? at);
    if (this.firstSeen.size > REMEMBERED) {
      for (const oldest of this.firstSeen.keys()) {
        this.firstSeen.delete(oldest);
        break;
      }
    }
    return this.isUnproven(nodeClock) || (before !== undefined && askedAt - before > NEW_SECOND_MS);
  }
}
