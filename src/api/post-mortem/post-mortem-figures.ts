import type { Decimal } from '../../domain/cost/decimal.js';
import { duration } from '../../domain/health/health-rule.js';
import { formatBytes } from '../../platform/bytes.js';
import type { IntervalFigures } from '../../statistics/interval/interval.reader.js';

/** A figure for people. Null: unknown. */
interface IncidentFigure {
  readonly title: string;
  readonly value: string | null;
}

/** Rounded to what matters; the GraphQL queries of the post-mortem return all digits. */
function tia(utia: Decimal | null): string | null {
  return utia && `${Number((utia.toNumber() / 1e6).toPrecision(4))} TIA`;
}

/**
 * The figures of an incident, in the order of the report. How long blocks waited depends on when a node showed them as included.
 */
export function figuresInWords(figures: IntervalFigures): IncidentFigure[] {
  const { inclusion, waits } = figures;
  const ms = (value: number | null | undefined): string | null =>
    value === null || value === undefined ? null : duration(value);
  const least = (text: string | null, isBound: unknown): string | null =>
    text === null || !isBound ? text : `at least ${text}`;
  // A block that still waits counts with its present age: the wait is not over, so the figure is a lower bound.
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
    { title: 'blocks included by now', value: count(inclusion?.blocksIncluded) },
    { title: 'blocks that waited for inclusion', value: count(waits?.waited) },
    { title: 'blocks whose time of inclusion is unknown', value: count(waits?.unknown) },
    { title: 'delay limit (twice the median of the day before)', value: ms(waits?.limitMs) },
    { title: 'blocks delayed', value: least(count(waits?.delayed), waits?.unknown) },
    { title: 'transactions delayed', value: least(count(waits?.transactionsDelayed), waits?.unknown) },
    { title: 'wait for inclusion, p95', value: wait(waits?.p95Ms) },
    { title: 'wait for inclusion, longest', value: wait(waits?.maxMs) },
    { title: 'blocks still waiting', value: count(waits?.stillWaiting) },
    { title: 'transactions still waiting', value: count(waits?.transactionsStillWaiting) },
    { title: 'peak backlog in blocks, at least', value: count(waits?.mostWaiting) },
    {
      title: 'data posted',
      value: least(figures.sizeBytes === null ? null : formatBytes(figures.sizeBytes), !figures.counted),
    },
    { title: 'fee, lower bound', value: tia(figures.feeMin) },
    { title: 'fee, upper bound', value: tia(figures.feeMax) },
    {
      title: 'failed attempts that did not land',
      value: least(count(figures.failedAttempts), !figures.counted),
    },
    { title: 'cost of these, upper bound', value: tia(figures.failedFeeMax) },
    { title: 'submissions missed, lower bound', value: count(figures.lostMin) },
    { title: 'submissions missed, upper bound', value: count(figures.lostMax) },
    {
      title: 'coverage',
      value: figures.counted
        ? `${Math.floor(figures.coverage * 1_000) / 10} %`
        : 'not counted yet: events of this time are still being processed',
    },
  ];
}
