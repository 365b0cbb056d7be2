import type { Millis } from '../../domain/time.js';

/** `Date` headers that are remembered: those of some minutes of looks. */
const REMEMBERED = 256;
/** The header tells whole seconds; the clock of its node may be a little slower than ours. */
const NEW_SECOND_MS = 2_000;

/** Tells answers that were kept by a cache from those that a node gives now, by their `Date`. */
export class CachedAnswers {
  /** By `Date`, when an answer with it was complete for the first time. */
  private readonly firstSeen = new Map<Millis, Millis>();
  /** The `Date` of the first answer after a restart; undefined where none is to be waited for, or none has come. */
  private unproven: Millis | undefined;
  private isRestarted = false;

  /**
   * After answers that nobody remembers: the next one may be kept since then, so it counts as kept until another `Date` is
   * seen.
   */
  restart(): void {
    this.isRestarted = true;
  }

  /**
   * Whether an answer that was asked for at `askedAt` bears the `Date` of one that was there two seconds before, or of the
   * first one after a restart.
   * @param nodeClock its `Date`; undefined where it has none, which tells nothing
   */
  isCached(nodeClock: Millis | undefined, askedAt: Millis, at: Millis): boolean {
    if (nodeClock === undefined) return false;
    if (this.isRestarted) this.unproven = nodeClock;
    this.isRestarted = false;
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
    return nodeClock === this.unproven || (before !== undefined && askedAt - before > NEW_SECOND_MS);
  }
}
