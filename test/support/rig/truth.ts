interface Line {
  readonly at: string;
  readonly what: string;
  readonly fault?: string;
  readonly height?: number;
  readonly transactions?: number;
  readonly kind?: 'header' | 'data';
  readonly fromHeight?: number;
  readonly toHeight?: number;
  readonly status?: string | null;
  readonly message?: string;
  readonly bytes?: number;
  readonly isListed?: boolean;
}

/** An attempt that was answered. */
export interface TrueAttempt {
  /** Unix milliseconds. */
  readonly at: number;
  readonly isSuccess: boolean;
  readonly message: string | undefined;
  readonly bytes: number;
}

/** A block, the time when its last part was posted, and the time from which its node shows it as included. */
interface TrueBlock {
  readonly at: number;
  readonly transactions: number;
  readonly postedAt: number | null;
  readonly shownAt: number | null;
}

/** True waits of blocks until their node showed them as included. */
export interface TrueWaits {
  readonly waited: number;
  readonly delayed: number;
  readonly transactionsDelayed: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  readonly stillWaiting: number;
  readonly transactionsStillWaiting: number;
}

/** True figures of an interval. Times are Unix milliseconds, lags milliseconds. */
export interface TrueFigures {
  readonly attempts: number;
  readonly successes: number;
  readonly failures: number;
  readonly bytes: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly delayed: number;
  readonly transactionsDelayed: number;
  readonly lagMaxMs: number;
  readonly lagP95Ms: number;
  /** Both possible values, if a block was made in the millisecond in which others were posted. */
  readonly mostPending: readonly number[];
  readonly longestWithoutSuccessMs: number;
}

/** A log of truth, counted in the plainest way, without any code of Hindsight. */
export class Truth {
  private readonly lines: readonly Line[];
  readonly attempts: readonly TrueAttempt[];
  private readonly blocks: readonly TrueBlock[];

  constructor(text: string) {
    this.lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const listed = this.lines.filter(({ what, isListed }) => what === 'attempt-ended' && isListed === true);
    this.attempts = listed.map(({ at, status, message, bytes = 0 }) => ({
      at: Date.parse(at),
      isSuccess: status === 'Success',
      message,
      bytes,
    }));
    this.blocks = this.readBlocks(listed);
  }

  /** The times of an event, in Unix milliseconds. */
  timesOf(what: string, fault?: string): number[] {
    return this.lines
      .filter((line) => line.what === what && (fault === undefined || line.fault === fault))
      .map(({ at }) => Date.parse(at));
  }

  /** @param from inclusive, @param to exclusive, both Unix milliseconds */
  countIn(from: number, to: number): TrueFigures {
    const isIn = ({ at }: { readonly at: number }): boolean => at >= from && at < to;
    const attempts = this.attempts.filter(isIn);
    const successes = attempts.filter(({ isSuccess }) => isSuccess);
    const before = this.blocks.filter(({ at }) => at < from);
    const usual = percentile(lagsOf(before), 0.5);
    const blocks = this.blocks.filter(isIn);
    const lags = lagsOf(blocks);
    const delayed = blocks.filter(({ at, postedAt }) => (postedAt ?? Infinity) - at > 2 * usual);
    const moments = [from, ...successes.map(({ at }) => at), to];
    return {
      attempts: attempts.length,
      successes: successes.length,
      failures: attempts.length - successes.length,
      bytes: sum(successes.map(({ bytes }) => bytes)),
      blocks: blocks.length,
      transactions: sum(blocks.map(({ transactions }) => transactions)),
      delayed: delayed.length,
      transactionsDelayed: sum(delayed.map(({ transactions }) => transactions)),
      lagMaxMs: Math.max(...lags),
      lagP95Ms: percentile(lags, 0.95),
      mostPending: [this.mostPending(from, to, 0), this.mostPending(from, to, 1)],
      longestWithoutSuccessMs: Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at))),
    };
  }

  /**
   * The blocks of a time, and earlier ones that still waited when it began.
   *
   * @param from inclusive,
   * @param to exclusive, both Unix milliseconds
   * @param end of the known time
   * @param limitMs the wait beyond which a block is delayed
   * @param seenAfterMs how much later the inclusion was observed
   */
  waitsIn(
    from: number,
    to: number,
    known: { readonly end: number; readonly limitMs: number; readonly seenAfterMs: number },
  ): TrueWaits {
    const { end, limitMs, seenAfterMs } = known;
    const blocks = this.blocks
      .map(({ at, transactions, shownAt }) => ({
        at,
        transactions,
        seenAt: (shownAt ?? Infinity) + seenAfterMs,
      }))
      .filter(({ at, seenAt }) => at < to && (at >= from || seenAt > from));
    const waitOf = ({ at, seenAt }: { readonly at: number; readonly seenAt: number }): number =>
      Math.min(seenAt, end) - at;
    const delayed = blocks.filter((block) => waitOf(block) > limitMs);
    const still = blocks.filter(({ seenAt }) => seenAt >= end);
    return {
      waited: blocks.length,
      delayed: delayed.length,
      transactionsDelayed: sum(delayed.map(({ transactions }) => transactions)),
      p95Ms: percentile(blocks.map(waitOf), 0.95),
      maxMs: Math.max(...blocks.map(waitOf)),
      stillWaiting: still.length,
      transactionsStillWaiting: sum(still.map(({ transactions }) => transactions)),
    };
  }

  /** @param tieMs how much longer a block waits than measured */
  private mostPending(from: number, to: number, tieMs: 0 | 1): number {
    const moments = [from, ...this.blocks.map(({ at }) => at)].filter((at) => at >= from && at < to);
    return Math.max(
      ...moments.map(
        (moment) =>
          this.blocks.filter(({ at, postedAt }) => at <= moment && (postedAt ?? Infinity) + tieMs > moment)
            .length,
      ),
    );
  }

  private readBlocks(listed: readonly Line[]): TrueBlock[] {
    const posted = { header: new Map<number, number>(), data: new Map<number, number>() };
    for (const { at, kind = 'header', status, fromHeight = 0, toHeight = 0 } of listed)
      if (status === 'Success')
        for (let height = fromHeight; height <= toHeight; height += 1)
          posted[kind].set(height, Date.parse(at));
    const shown = new Map<number, number>();
    for (const { at, what, height = 0 } of this.lines)
      if (what === 'included' && !shown.has(height)) shown.set(height, Date.parse(at));
    return this.lines
      .filter(({ what }) => what === 'block')
      .map(({ at, height = 0, transactions = 0 }) => {
        const header = posted.header.get(height);
        const data = transactions === 0 ? header : posted.data.get(height);
        const postedAt = header === undefined || data === undefined ? null : Math.max(header, data);
        return { at: Date.parse(at), transactions, postedAt, shownAt: shown.get(height) ?? null };
      });
  }
}

function lagsOf(blocks: readonly TrueBlock[]): number[] {
  return blocks.flatMap(({ at, postedAt }) => (postedAt === null ? [] : [postedAt - at]));
}

/** By the nearest rank. */
function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(Math.ceil(share * values.length), 1) - 1] ?? NaN;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
