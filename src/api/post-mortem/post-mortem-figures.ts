import { duration } from '../../domain/health/health-rule.js';
import type { IntervalFigures } from '../../statistics/interval/interval.reader.js';

/** A figure for people. Null: not known. */
interface IncidentFigure {
  readonly title: string;
  readonly value: string | null;
}

/** What trouble came to, in the order in which it is told. How long blocks waited is told by when a node showed them as included. */
export function figuresInWords(figures: IntervalFigures): IncidentFigure[] {
  const { inclusion, waits } = figures;
  const ms = (value: number | null | undefined): string | null =>
    value === null || value === undefined ? null : duration(value);
  const least = (text: string | null, isBound: unknown): string | null =>
    text === null || !isBound ? text : `at least ${text}`;
  // The age of a block that still waits counts: its wait is not over.
  const wait = (value: number | null | undefined): string | null =>
    least(ms(value), waits?.stillWaiting || waits?.unknown);
  const count = (value: { toString(): string } | null | undefined): string | null =>
    value?.toString() ?? null;
  return [
    { title: 'attempts', value: least(count(figures.attempts), !figures.counted) },
    { title: 'successes', value: least(count(figures.successes), !figures.counted) },
    { title: 'failures', value: least(count(figures.failures), !figures.counted) },
    { title: 'longest time without a success', value: ms(figures.longestWithoutSuccessMs) },
    { title: 'blocks recorded', value: count(inclusion?.blocksProduced) },
    { title: 'of them included by now', value: count(inclusion?.blocksIncluded) },
    { title: 'blocks that waited to be shown as included', value: count(waits?.waited) },
    { title: 'of them, nobody saw when they were shown', value: count(waits?.unknown) },
    { title: 'delayed beyond (twice the median of the day before)', value: ms(waits?.limitMs) },
    { title: 'blocks delayed', value: least(count(waits?.delayed), waits?.unknown) },
    { title: 'transactions in them', value: least(count(waits?.transactionsDelayed), waits?.unknown) },
    { title: 'wait until shown as included, 95th percentile', value: wait(waits?.p95Ms) },
    { title: 'wait until shown as included, worst', value: wait(waits?.maxMs) },
    { title: 'blocks that still wait', value: count(waits?.stillWaiting) },
    { title: 'transactions in these', value: count(waits?.transactionsStillWaiting) },
    { title: 'most blocks waiting at once, at least', value: count(waits?.mostWaiting) },
    { title: 'bytes posted', value: least(count(figures.sizeBytes), !figures.counted) },
    { title: 'fee at least, utia', value: count(figures.feeMin) },
    { title: 'fee at most, utia', value: count(figures.feeMax) },
    {
      title: 'failed attempts that did not land',
      value: least(count(figures.failedAttempts), !figures.counted),
    },
    { title: 'what these cost at most, utia', value: count(figures.failedFeeMax) },
    { title: 'rows never seen, at least', value: count(figures.lostMin) },
    { title: 'rows never seen, at most', value: count(figures.lostMax) },
    {
      title: 'coverage: time in which nothing can have been missed',
      value: figures.counted
        ? `${Math.floor(figures.coverage * 1_000) / 10} %`
        : 'not counted yet: the record has not read all events of this time',
    },
  ];
}
