import type { Millis } from '../../domain/time.js';

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
