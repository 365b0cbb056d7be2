import { duration } from '../../domain/health/health-rule.js';
import type { IntervalFigures } from '../../statistics/interval/interval.reader.js';

/** A figure for people. Null: not known. */
interface IncidentFigure {
  readonly title: string;
  readonly value: string | null;
}

/** What trouble came to, in the order in which it is told. */
export function figuresInWords(figures: IntervalFigures): IncidentFigure[] {
  const { inclusion } = figures;
  const ms = (value: number | null | undefined): string | null =>
    value === null || value === undefined ? null : duration(value);
  const count = (value: { toString(): string } | null | undefined): string | null =>
    value?.toString() ?? null;
  return [
    { title: 'attempts', value: count(figures.attempts) },
    { title: 'successes', value: count(figures.successes) },
    { title: 'failures', value: count(figures.failures) },
    { title: 'longest time without a success', value: ms(figures.longestWithoutSuccessMs) },
    { title: 'blocks recorded', value: count(inclusion?.blocksProduced) },
    { title: 'of them included by now', value: count(inclusion?.blocksIncluded) },
    { title: 'delayed beyond (twice the median of the day before)', value: ms(inclusion?.delayLimitMs) },
    { title: 'blocks delayed', value: count(inclusion?.blocksDelayed) },
    { title: 'transactions in them', value: count(inclusion?.transactionsDelayed) },
    { title: 'inclusion lag, 95th percentile', value: ms(inclusion?.lagP95Ms) },
    { title: 'inclusion lag, worst', value: ms(inclusion?.lagMaxMs) },
    { title: 'most pending blocks, at least', value: count(inclusion?.mostPendingBlocks) },
    { title: 'bytes posted', value: count(figures.sizeBytes) },
    { title: 'fee at least, utia', value: count(figures.feeMin) },
    { title: 'fee at most, utia', value: count(figures.feeMax) },
    { title: 'failed attempts that did not land', value: count(figures.failedAttempts) },
    { title: 'what these cost at most, utia', value: count(figures.failedFeeMax) },
    { title: 'rows never seen, at least', value: count(figures.lostMin) },
    { title: 'rows never seen, at most', value: count(figures.lostMax) },
    {
      title: 'coverage: time in which nothing can have been missed',
      value: `${Math.floor(figures.coverage * 1_000) / 10} %`,
    },
  ];
}
