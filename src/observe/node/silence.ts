import type { LookBook } from '../look-book.js';
import type { Millis } from '../../domain/time.js';

/** In a silence, looks are written down after this long, and then after ever longer times. */
const FIRST_PATIENCE_MS = 5_000;
const GROWTH = 1.6;
/** Looks wait at most this long for an event of their own. */
const LONGEST_PATIENCE_MS = 60_000;

/**
 * How long the looks at one subject may wait for an event that carries them.
 *
 * Health changes by silence too, and such a change counts only once a look in the log has proven it.
 * So the more unusual a silence is, the sooner its looks are written down; a steady subject costs nothing.
 */
export class Silence {
  private patienceMs = FIRST_PATIENCE_MS;
  private usualGapMs = 0;
  private lastEventAt: Millis | undefined;
  private seenTaken = 0;

  constructor(private readonly book: LookBook) {}

  /** Whether the looks have waited long enough. */
  isOver(now: Millis): boolean {
    if (this.book.timesTaken !== this.seenTaken) this.noteEvent(now);
    const since = this.book.unwrittenSince;
    return since !== undefined && now - since >= this.patienceMs;
  }

  /** The looks were written down without an event of the subject. */
  noteWritten(): void {
    this.seenTaken = this.book.timesTaken;
    this.patienceMs = Math.min(this.patienceMs * GROWTH, LONGEST_PATIENCE_MS);
  }

  private noteEvent(now: Millis): void {
    const gap = this.lastEventAt === undefined ? 0 : now - this.lastEventAt;
    this.usualGapMs = (this.usualGapMs + Math.min(gap, LONGEST_PATIENCE_MS)) / 2;
    this.lastEventAt = now;
    this.seenTaken = this.book.timesTaken;
    this.patienceMs = Math.min(Math.max(FIRST_PATIENCE_MS, 2 * this.usualGapMs), LONGEST_PATIENCE_MS);
  }
}
