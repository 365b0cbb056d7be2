import fc from 'fast-check';
import { foldHistory } from '../../test/support/health-history.js';
import { tellStepped, type SteppedLog, type SteppedWorld } from '../../test/support/stepped-log.js';
import { NO_HEALTH } from './health/health-fold.js';
import type { RuleInterval } from './health/health-intervals.js';
import type { HealthComponent } from './health/health-rule.js';
import { DEFAULT_THRESHOLDS } from './health/health-thresholds.js';
import { foldHealth } from './health/health.js';
import type { RecordedEvent } from './events.js';
import { placeOnAxis, type TimeAxis } from './time-axis.js';
import { tries } from '../../test/support/tries.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const COMPONENTS = ['DA', 'NODE'] as const;
const HALF_AN_HOUR_BACK = { at: 5 * MINUTE, offBy: -30 * MINUTE };

const steadily: SteppedWorld = { lasts: 50 * MINUTE, steps: [], isShared: false, down: [] };

/** States of a component as they were known at the end of each second. */
function liveThrough({ events, seconds }: SteppedLog, component: HealthComponent): Map<number, string> {
  const known = new Map<number, string>();
  let fold = NO_HEALTH;
  for (const [index, event] of events.entries()) {
    fold = foldHealth(fold, event, DEFAULT_THRESHOLDS).state;
    const line = component === 'DA' ? fold.daLine : fold.nodeLine;
    known.set(seconds[index] ?? 0, line?.state ?? 'UNKNOWN');
  }
  return known;
}

function statesIn(known: ReadonlyMap<number, string>, from: number, to: number): Set<string> {
  return new Set([...known].filter(([second]) => second >= from && second < to).map(([, state]) => state));
}

function lengthOf(intervals: readonly RuleInterval[], isMeant: (each: RuleInterval) => boolean): number {
  return intervals
    .filter((each) => each.to !== null && isMeant(each))
    .reduce((sum, { from, to }) => sum + (to ?? from) - from, 0);
}

describe('an outage while the clock of the observer is off', () => {
  const down = [[330, 1_500]] as const;

  it.each([
    ['of the observer alone', false],
    ['that the database goes by, too', true],
  ])('is seen when the clock was set back half an hour before it: the clock %s', (_, isShared) => {
    const log = tellStepped({ ...steadily, steps: [HALF_AN_HOUR_BACK], isShared, down });
    const { intervals } = foldHistory(log.events);
    for (const component of COMPONENTS) {
      const states = statesIn(liveThrough(log, component), 600, 1_500);
      expect([...states]).toEqual([component === 'DA' ? 'UNKNOWN' : 'CRITICAL']);
      const unwell = lengthOf(intervals[component], ({ rule }) => rule === 'unreachable');
      expect(unwell).toBeGreaterThan(9 * MINUTE * 1000);
      expect(intervals[component].at(-1)?.state).toBe('HEALTHY');
    }
  });

  it('is where it was by the database, if the database uses another clock', () => {
    const log = tellStepped({ ...steadily, steps: [HALF_AN_HOUR_BACK], down });
    const { startMs } = log;
    const found = foldHistory(log.events).intervals.NODE.find(({ rule }) => rule === 'unreachable');
    expect(Math.abs(((found?.from ?? 0) - startMs) / 1000 - 330)).toBeLessThanOrEqual(6);
    expect(Math.abs(((found?.to ?? 0) - startMs) / 1000 - 1_500)).toBeLessThanOrEqual(6);
  });
});

describe('a healthy node under a clock that steps', () => {
  it.each([
    ['an hour ahead', HOUR],
    ['an hour back', -HOUR],
    ['thirty days back', -30 * DAY],
    ['four hundred days ahead', 400 * DAY],
    ['to 1970', -57 * 365 * DAY],
    ['to the year 9999', 7_970 * 365 * DAY],
  ])('is healthy again, in the present, after the clock was %s for a while', (_, offBy) => {
    const steps = [
      { at: 300, offBy },
      { at: 420, offBy: 0 },
    ];
    const log = tellStepped({ ...steadily, lasts: 900, steps });
    const { intervals } = foldHistory(log.events);
    for (const component of COMPONENTS) {
      expect([...statesIn(liveThrough(log, component), 480, 900)]).toEqual(['HEALTHY']);
      const last = intervals[component].at(-1);
      expect(last?.from).toBeLessThanOrEqual(log.startMs + 480_000);
      expect(intervals[component].every(({ rule }) => rule !== 'head-still' && rule !== 'frozen')).toBe(true);
    }
  });

  it('leaves the times of a log without steps as they are', () => {
    const log = tellStepped({ ...steadily, down: [[600, 700]] });
    const { intervals, fold } = foldHistory(log.events);
    expect(fold.axis?.shiftMs).toBe(0);
    expect(intervals.NODE.map(({ from, rule }) => [(from - log.startMs) / 1000, rule])).toEqual([
      [0, 'healthy'],
      [600, 'unreachable'],
      [700, 'healthy'],
    ]);
  });
});

describe('an event on the axis', () => {
  const START = Date.UTC(2026, 10, 21);
  const tell = (type: string, observedMs: number, recordedMs: number, body: object = {}) =>
    ({
      type,
      observedAt: BigInt(START + observedMs) * 1000n,
      recordedAt: BigInt(START + recordedMs) * 1000n,
      body,
    }) as unknown as RecordedEvent;
  const looksAt = (first: number, last: number) => ({
    first: START + first,
    last: START + last,
    count: 4,
    longestGapMs: 700,
    nodeClock: 5,
  });
  /** Places events in order; returns the axis and the last event, in milliseconds of the story. */
  function place(...events: RecordedEvent[]) {
    let axis: TimeAxis | null = null;
    let last: RecordedEvent | undefined;
    for (const event of events) ({ axis, event: last } = placeOnAxis(axis, event));
    return {
      axis,
      event: last,
      at: Number((last?.observedAt ?? 0n) / 1000n) - START,
    };
  }

  it('stays as it is while the clock is right, a little late or a little ahead', () => {
    const event = tell('ProbesSummarised', 5_000, 6_000, { looks: looksAt(1_000, 5_000) });
    expect(place(tell('NodeRegistered', 9_000, 1_000), event).event).toBe(event);
    expect(place(tell('NodeRegistered', 120_000, 6_000), event).at).toBe(5_000);
    expect(place(tell('NodeRegistered', 121_000, 1_000), tell('NodeDescribed', 1_000, 6_000)).at).toBe(1_000);
  });

  it('follows the recording if the clock was far ahead from the start', () => {
    expect(place(tell('NodeRegistered', 121_001, 1_000)).at).toBe(1_000);
    expect(place(tell('NodeRegistered', 121_000, 1_000)).at).toBe(121_000);
  });

  it('comes as long after the newest one as it was recorded after it, if the clock stepped', () => {
    const first = tell('NodeRegistered', 200_000, 200_500);
    expect(place(first, tell('NodeDescribed', 80_000, 230_500)).at).toBe(80_000);
    expect(place(first, tell('NodeDescribed', 79_999, 230_500)).at).toBe(230_000);
    expect(place(first, tell('NodeDescribed', 3_800_000, 230_500)).at).toBe(230_000);
    expect(place(first, tell('NodeDescribed', 350_000, 230_500)).at).toBe(350_000);
  });

  it('keeps the lengths of time between later ones, and their polls', () => {
    const first = tell('NodeRegistered', 200_000, 200_500);
    const step = tell('NodeDescribed', 10_000, 230_500);
    const later = tell('SubmissionWindowLost', 15_000, 240_000, {
      looks: looksAt(11_000, 15_000),
      from: START + 11_000,
      minLost: 1,
    });
    const { event, at } = place(first, step, later);
    expect(at).toBe(235_000);
    expect(event?.body).toEqual({ looks: looksAt(231_000, 235_000), from: START + 231_000, minLost: 1 });
  });

  it('that shows the step has its polls only at its own time, and none before the newest event', () => {
    const first = tell('NodeRegistered', 200_000, 200_500);
    const body = { looks: looksAt(199_000, 10_000), from: START + 199_500, minLost: 1 };
    const { event } = place(first, tell('SubmissionWindowLost', 10_000, 230_500, body));
    expect(event?.body).toEqual({
      looks: { ...looksAt(230_000, 230_000), count: 1, longestGapMs: 0 },
      from: START + 200_000,
      minLost: 1,
    });
  });

  it('moves at half speed while it is ahead of a database whose clock has stopped', () => {
    const first = tell('NodeRegistered', 200_000, 200_000);
    const ahead = [310_000, 330_000, 350_000].map((ms) => tell('NodeDescribed', ms, 200_000));
    expect([1, 2, 3].map((count) => place(first, ...ahead.slice(0, count)).at)).toEqual([
      310_000, 320_000, 330_000,
    ]);
    expect(place(first, ...ahead, tell('NodeDescribed', 360_000, 230_000)).at).toBe(340_000);
  });

  it('is not moved by polls that waited, and has no polls that would lie in the future', () => {
    const first = tell('NodeRegistered', 200_000, 200_500);
    const step = tell('NodeDescribed', 10_000, 230_500);
    const looks = { claims: looksAt(150_000, 199_000), probes: looksAt(11_000, 12_000) };
    const { axis, event } = place(first, step, tell('NodeWatched', 199_000, 240_000, { looks }));
    expect(event?.body).toEqual({ looks: { probes: looksAt(231_000, 232_000) } });
    expect(axis).toEqual(place(first, step).axis);
  });
});

describe('a step of the clock that the database uses, too', () => {
  const leap = fc.record({
    at: fc.integer({ min: 2 * MINUTE, max: 6 * MINUTE }),
    offBy: fc.integer({ min: 3 * MINUTE, max: 2 * DAY }),
    followsAfter: fc.constantFrom(0, MINUTE),
  });

  it('makes an unmonitored time, like a kill', () => {
    fc.assert(
      fc.property(leap, ({ at, offBy, followsAfter }) => {
        const steps = [{ at: at + followsAfter, offBy }];
        const log = tellStepped({ ...steadily, lasts: at + 5 * MINUTE, steps, isShared: true });
        const events = log.events.map((event, index) => {
          const isAhead = followsAfter > 0 && (log.seconds[index] ?? 0) >= at;
          const recordedAt = event.observedAt + BigInt(offBy) * 1_000_000n;
          return isAhead && event.recordedAt < recordedAt ? { ...event, recordedAt } : event;
        });
        const { intervals } = foldHistory(events);
        const from = log.startMs + (at + followsAfter) * 1000;
        for (const component of COMPONENTS) {
          const unwatched = lengthOf(intervals[component], ({ rule }) => rule === 'not-watched');
          expect(unwatched).toBeGreaterThan((offBy - MINUTE) * 1000);
          expect(intervals[component].at(-1)?.state).toBe('HEALTHY');
          expect(
            intervals[component].find(({ rule, to }) => rule === 'not-watched' && (to ?? 0) > from)?.from,
          ).toBeLessThan(from + MINUTE * 1000);
        }
      }),
      tries(15),
    );
  });
});

describe('every log with steps', () => {
  const DOWN = 20 * MINUTE;
  const QUIET = 15 * MINUTE;
  const offBy = fc.oneof(
    fc.integer({ min: -180, max: 180 }),
    fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
    fc.integer({ min: -400 * DAY, max: 400 * DAY }),
  );
  const world = fc
    .record({
      before: fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), offBy), { maxLength: 4 }),
      during: fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), offBy), { maxLength: 2 }),
      isShared: fc.boolean(),
    })
    .map(({ before, during, isShared }) => {
      let at = 2 * MINUTE;
      const timed = ([wait, by]: [number, number]) => ({ at: (at += wait), offBy: by });
      const steps = before.map(timed);
      const from = (at += MINUTE);
      steps.push(...during.map(timed));
      const to = Math.max(from + DOWN, at + MINUTE);
      return { lasts: to + QUIET, steps, isShared, down: [[from, to]] as const };
    });

  it('never hides an outage of twenty minutes, and shows a healthy node as healthy when the steps are over', () => {
    fc.assert(
      fc.property(world, (told) => {
        const log = tellStepped(told);
        const [[from, to]] = told.down;
        for (const component of COMPONENTS) {
          const known = liveThrough(log, component);
          expect(statesIn(known, from + 6 * MINUTE, to)).not.toContain('HEALTHY');
          const end = [...statesIn(known, told.lasts - 5 * MINUTE, told.lasts)];
          expect(end).not.toContain('CRITICAL');
          expect(end).not.toContain('UNKNOWN');
        }
      }),
      tries(8),
    );
  });

  it('gives the same unbroken lines, with the outage in them, however it is cut into portions', () => {
    fc.assert(
      fc.property(world, (told) => {
        const { events } = tellStepped(told);
        const { intervals, fold } = foldHistory(events);
        const stored = foldHistory(events, DEFAULT_THRESHOLDS, (state) => JSON.parse(JSON.stringify(state)));
        expect(stored).toEqual({ intervals, fold });
        for (const component of COMPONENTS) {
          const line = intervals[component];
          expect(line.slice(1).map(({ from }) => from)).toEqual(line.slice(0, -1).map(({ to }) => to));
          expect(line.every(({ from, to }) => to === null || to > from)).toBe(true);
          const unwell = lengthOf(line, ({ state }) => state !== 'HEALTHY' && state !== 'WARNING');
          expect(unwell).toBeGreaterThan(7 * MINUTE * 1000);
        }
      }),
      tries(6),
    );
  });
});
