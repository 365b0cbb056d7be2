import type { SystemOutcome } from '../../domain/events.js';
import { nanosToMillis, type Millis } from '../../domain/time.js';

/** Below the time after which a node counts as not monitored (`notWatchedAfter`). */
const LONGEST_MS: Millis = 20_000;
const SHORTEST_MS: Millis = 500;
/** More polls than that would see the same head again. */
const BLOCKS_PER_POLL = 3;
/** Until the block time is known, and to confirm a first failure. */
const SOON_MS: Millis = 5_000;
/** celestia-node logs a warning for each request with a wrong token. */
const REFUSED_MS: Millis = 120_000;

/** A head, as recorded. */
interface Head {
  readonly height: string;
  readonly timeNs: string | null;
}

/** The pace of polls, by the block time of the system, which two heads show. */
export class SystemPace {
  everyMs: Millis = SOON_MS;
  private hasFailed = false;
  private lastBlockMs: Millis = Infinity;

  /** Learns the block time from two heads of different heights. A single long time is a halt, and no new block time. */
  learn(before: Head | undefined, now: Head | undefined): void {
    if (!before?.timeNs || !now?.timeNs) return;
    const blocks = Number(BigInt(now.height) - BigInt(before.height));
    if (blocks <= 0) return;
    const blockMs = nanosToMillis(BigInt(now.timeNs) - BigInt(before.timeNs)) / blocks;
    const usualMs = Math.min(blockMs, this.lastBlockMs);
    this.lastBlockMs = blockMs;
    this.everyMs = Math.min(Math.max(BLOCKS_PER_POLL * usualMs, SHORTEST_MS), LONGEST_MS);
  }

  /** The wait after a poll that ended so. */
  after(outcome: SystemOutcome): Millis {
    const isFirst = outcome !== 'OK' && !this.hasFailed;
    this.hasFailed = outcome !== 'OK';
    if (outcome === 'REFUSED') return REFUSED_MS;
    return isFirst ? Math.min(this.everyMs, SOON_MS) : this.everyMs;
  }
}
