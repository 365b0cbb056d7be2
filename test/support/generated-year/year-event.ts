import type { Looks, NewEvent } from '../../../src/domain/events.js';

/** An event with its stream, before it has a position in the log. */
export interface YearEvent {
  readonly stream: string;
  readonly event: NewEvent;
}

/** One poll at `at`, after a poll at `before`, of a node that has our clock, or reports no clock. */
export function looksOf(before: number | null, at: number, hasClock: boolean): Looks {
  const gap = before === null ? 0 : at - before;
  const second = (time: number): number => Math.floor(time / 1000) * 1000;
  const clocks = {
    nodeClock: second(at),
    ...(before !== null && { nodeClockBefore: second(before) }),
  };
  return { first: at, last: at, count: 1, longestGapMs: gap, ...(hasClock && clocks) };
}
