import { initialPace, nextPace, type Pace, type PacedPoll } from './poll-cadence.js';

const limits = { floorMs: 500, ceilingMs: 15_000 };

/** Continues from `pace` with `polls` polls, each at the time that the previous one set. */
function pollOn(pace: Pace, polls: number, poll: Partial<PacedPoll> = {}): Pace {
  let next = pace;
  for (let index = 0; index < polls; index += 1) {
    const at = (next.lastPoll ?? 1_795_000_000_000) + next.intervalMs;
    next = nextPace(next, limits, {
      at,
      outcome: 'CONTINUED',
      fresh: 0,
      ringSize: 100,
      bytes: 42_000,
      hasFailure: false,
      isEmpty: false,
      ...poll,
    });
  }
  return next;
}

/** A node that has been known for long and writes nothing. */
const idle = pollOn(initialPace(limits), 10);

describe('the interval between two polls of the list', () => {
  it('doubles step by step up to the ceiling while nothing happens', () => {
    const steps = [1, 2, 3, 4, 5, 6].map((polls) => pollOn(initialPace(limits), polls).intervalMs);
    expect(steps).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  });

  it('settles where a poll finds eight rows', () => {
    let pace = initialPace(limits);
    for (let poll = 0; poll < 200; poll += 1) {
      pace = pollOn(pace, 1, { fresh: (pace.intervalMs / 1_000) * 2 });
    }
    expect(pace.intervalMs / 1_000).toBeCloseTo(4, 1);
  });

  it('believes a poll at once that finds more than a quarter of the ring fresh', () => {
    expect(pollOn(idle, 1, { fresh: 60 }).intervalMs).toBe(2_000);
    expect(pollOn(idle, 1, { fresh: 25 }).intervalMs).toBeGreaterThan(8_000);
  });

  it('is the floor after first contact, reset, loss or refusal, and never less', () => {
    expect(pollOn(idle, 1, { outcome: 'BROKEN' }).intervalMs).toBe(500);
    expect(pollOn(idle, 1, { outcome: 'REFUSED', bytes: 0 }).intervalMs).toBe(500);
    expect(pollOn(idle, 5, { fresh: 5_000 }).intervalMs).toBe(500);
  });

  it('is two seconds at most while attempts fail', () => {
    expect(pollOn(idle, 1, { hasFailure: true }).intervalMs).toBe(2_000);
  });

  it('is two seconds at most while the list is empty, which is proof of no longer time', () => {
    expect(pollOn(idle, 5, { isEmpty: true, bytes: 40 }).intervalMs).toBe(2_000);
  });

  it('stretches beyond the ceiling for large answers, to a megabyte a second', () => {
    expect(pollOn(idle, 1, { bytes: 40_000_000 }).intervalMs).toBe(40_000);
    expect(pollOn(idle, 1, { outcome: 'BROKEN', bytes: 3_000_000 }).intervalMs).toBe(3_000);
  });

  it('takes no rate from a first poll, whose rows may have gathered over hours', () => {
    expect(pollOn(initialPace(limits), 1, { fresh: 100, outcome: 'BROKEN' }).rowsPerSecond).toBeNull();
    expect(pollOn(initialPace(limits), 1, { fresh: 100 }).rowsPerSecond).toBeNull();
  });
});
