import type { HealthState } from '../health/health-rule.js';
import { findTrouble, type StateSpan } from './trouble-stretch.js';

const MINUTE = 60_000_000n;

/** States that follow each other from minute 0 on, each with its minutes; null lasts. */
function line(...states: readonly (readonly [HealthState, number | null])[]): StateSpan[] {
  let at = 0n;
  return states.map(([state, minutes]) => {
    const fromUs = at;
    at += BigInt(minutes ?? 0) * MINUTE;
    return { state, fromUs, toUs: minutes === null ? null : at };
  });
}

function troubleAt(spans: readonly StateSpan[], minute: number) {
  const found = findTrouble(spans, BigInt(minute) * MINUTE);
  return (
    found && [
      Number(found.fromUs / MINUTE),
      found.toUs === null ? null : Number(found.toUs / MINUTE),
      found.worst,
    ]
  );
}

describe('the stretch of trouble around a moment', () => {
  it('is joined over a calm of less than 5 minutes, and has the worst state', () => {
    const flapping = line(
      ['HEALTHY', 10],
      ['CRITICAL', 2],
      ['HEALTHY', 4],
      ['WARNING', 3],
      ['UNKNOWN', 1],
      ['WARNING', 1],
      ['HEALTHY', null],
    );
    for (const minute of [10, 11, 14, 20]) expect(troubleAt(flapping, minute)).toEqual([10, 21, 'CRITICAL']);
    for (const minute of [9, 21, 90]) expect(troubleAt(flapping, minute)).toBeUndefined();
  });

  it('ends at a calm of 5 minutes', () => {
    const two = line(['WARNING', 2], ['HEALTHY', 5], ['CRITICAL', 3], ['HEALTHY', 60]);
    expect([1, 4, 8].map((minute) => troubleAt(two, minute))).toEqual([
      [0, 2, 'WARNING'],
      undefined,
      [7, 10, 'CRITICAL'],
    ]);
  });

  it('is not over while its last interval lasts', () => {
    expect(troubleAt(line(['HEALTHY', 1], ['WARNING', 1], ['CRITICAL', null]), 70)).toEqual([
      1,
      null,
      'CRITICAL',
    ]);
    expect(troubleAt([], 0)).toBeUndefined();
  });
});
