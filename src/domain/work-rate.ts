import { duration } from './health/health-rule.js';
import type { Millis } from './time.js';

/** Rates of a shorter time say nothing. */
const MEASURED_AFTER: Millis = 1_000;

interface Measured {
  readonly done: number;
  readonly at: Millis;
}

/** Measures the share, the rate and the remaining time of long work. */
export class WorkRate {
  private first: Measured | undefined;
  private last: (Measured & { readonly total: number | undefined }) | undefined;

  /** @param unit plural of what is counted */
  constructor(private readonly unit: string) {}

  /**
   * Notes the amount that is done. The first call begins the measurement, because interrupted work continues where it ended.
   * @param total undefined if unknown
   * @param at of a monotonic clock
   */
  note(done: number, total: number | undefined, at: Millis): void {
    this.first ??= { done, at };
    this.last = { done, total, at };
  }

  /** The completed share, 0 to 1; 0 if the total is unknown. */
  get share(): number {
    const { done = 0, total } = this.last ?? {};
    if (total === undefined) return 0;
    return total > 0 ? Math.min(1, done / total) : 1;
  }

  /** Describes the progress for people, as far as it is known: `43 %, 2,890 events/s, about 2 min 5 s left`. */
  describe(): string {
    const { first, last, unit } = this;
    if (!first || !last) return '';
    const { done, total } = last;
    const ms = last.at - first.at;
    const perMs = ms < MEASURED_AFTER ? 0 : (done - first.done) / ms;
    const isBefore = total !== undefined && done < total;
    return [
      total === undefined ? '' : `${Math.floor(this.share * 100)} %`,
      perMs > 0 ? `${toCount(perMs * 1_000)} ${unit}/s` : '',
      perMs > 0 && isBefore
        ? `about ${duration(Math.ceil((total - done) / perMs / 1_000) * 1_000)} left`
        : '',
    ]
      .filter((part) => part !== '')
      .join(', ');
  }
}

/** A whole number with separators: `48,000`. */
export function toCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
