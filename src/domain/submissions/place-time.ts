import { toClockTime, toMicros } from '../bounds.js';
import type { Looks } from '../events.js';
import { type Micros, type Nanos, nanosToMicros } from '../time.js';

/** A row may enter the ring a little after the time it bears, and a `Date` header only tells the second. */
const SLACK_MS = 5_000;

/** Where a submission stands in time. */
export interface PlacedTime {
  readonly timeAt: Micros;
  /** The node's own time cannot be true, or cannot be checked: `timeAt` is the observer's. */
  readonly isWild: boolean;
}

/**
 * The time under which a row counts. It is the row's own where that lies, on the node's clock, between the look before
 * the last and the last one. Else it is the observer's. The two clocks are never compared with each other.
 *
 * @param occurredNs the row's own time, on the node's clock; null for none
 * @param isFirst nothing of this ring was known before (first contact, reset, loss), so there is no lower bound
 */
export function placeTime(
  occurredNs: Nanos | null,
  observedUs: Micros,
  looks: Pick<Looks, 'nodeClock' | 'nodeClockBefore'>,
  isFirst: boolean,
): PlacedTime {
  const wild = { timeAt: observedUs, isWild: true };
  const { nodeClock, nodeClockBefore } = looks;
  const [before, clock] = [nodeClockBefore, nodeClock].map((ms = NaN) => toClockTime(ms));
  if (occurredNs === null || typeof clock !== 'number') return wild;
  const occurredUs = nanosToMicros(occurredNs);
  if (occurredUs > toMicros(clock + 1_000 + SLACK_MS)) return wild;
  const hasLowerBound = !isFirst && typeof before === 'number';
  if (hasLowerBound && occurredUs < toMicros(before - SLACK_MS)) return wild;
  return { timeAt: occurredUs, isWild: false };
}
