import type { Polls } from '../../../src/domain/events.js';

/** One poll at `at`, after a poll at `before`, of a node that has our clock, or reports no clock. */
export function looksOf(before: number | null, at: number, hasClock: boolean): Polls {
  const gap = before === null ? 0 : at - before;
  const second = (time: number): number => Math.floor(time / 1000) * 1000;
  const clocks = {
    nodeClock: second(at),
    ...(before !== null && { nodeClockBefore: second(before) }),
  };
  return { first: at, last: at, count: 1, longestGapMs: gap, ...(hasClock && clocks) };
}
