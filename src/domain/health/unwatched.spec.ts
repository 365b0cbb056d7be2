import { millisToNanos } from '../time.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';
import { findUnwatched, type LastKnown, WRITTEN_WITHIN_MS } from './unwatched.js';

const T0 = Date.parse('2026-11-21T03:00:00Z');
const LAST_LOOK = T0 + 60_000;
const known = (change: Partial<LastKnown> = {}): LastKnown => ({
  interval: { from: millisToNanos(T0), to: null, rule: 'healthy' },
  lastLookedAt: millisToNanos(LAST_LOOK),
  lookedAt: 'the node',
  ...change,
});
const chain = (notWatchedAfterMs: number) => ({ ...DEFAULT_THRESHOLDS, notWatchedAfterMs });

describe('findUnwatched', () => {
  it.each([30_000, 300_000])('ends an open interval %d ms after the last poll', (afterMs) => {
    const now = LAST_LOOK + WRITTEN_WITHIN_MS + afterMs;
    expect(findUnwatched(known(), chain(afterMs), now - 1)).toBeUndefined();
    expect(findUnwatched(known(), chain(afterMs), now)).toEqual({
      from: millisToNanos(LAST_LOOK + afterMs),
      limit: { setting: 'notWatchedAfter', limit: afterMs },
      reason: 'Not monitored: the node was last polled at 2026-11-21T03:01:00Z.',
    });
  });

  it('allows more time where a refused token makes polls rare', () => {
    const refused = known({ interval: { ...known().interval, rule: 'da-token-refused' } });
    const now = LAST_LOOK + WRITTEN_WITHIN_MS + DEFAULT_THRESHOLDS.notWatchedAfterMs;
    expect(findUnwatched(refused, DEFAULT_THRESHOLDS, now + 120_000)).toBeUndefined();
    expect(findUnwatched(refused, DEFAULT_THRESHOLDS, now + 300_000)).toBeDefined();
  });

  it('leaves nothing of an interval that began later than that', () => {
    const from = millisToNanos(LAST_LOOK + 200_000);
    const late = known({ interval: { from, to: null, rule: 'unreachable' } });
    expect(findUnwatched(late, DEFAULT_THRESHOLDS, LAST_LOOK + 3_600_000)?.from).toBe(from);
  });

  it('ignores an interval that has ended or reports this itself, and a node that was never polled', () => {
    const { interval } = known();
    const others = [
      known({ interval: { ...interval, to: millisToNanos(LAST_LOOK) } }),
      known({ interval: { ...interval, rule: 'not-watched' } }),
      known({ lastLookedAt: null }),
    ];
    const now = LAST_LOOK + 3_600_000;
    expect(others.map((each) => findUnwatched(each, DEFAULT_THRESHOLDS, now))).toEqual(
      others.map(() => undefined),
    );
  });
});
