import fc from 'fast-check';
import { runwayOf, spentAfter, SPENDING_WINDOWS, spentWithin, type Spending } from './spending.js';

const HOUR = 3_600_000;

/** The spending after balances `[hours since the first, utia]`. */
function after(balances: readonly (readonly [number, number])[]): Spending {
  const found = balances.reduce<Spending | null>(
    (known, [hours, utia]) => spentAfter(known, String(utia), hours * HOUR),
    null,
  );
  if (found === null) throw new Error('no balance');
  return found;
}

describe('spending of an account', () => {
  it('is the sum of the falls; a rise is a top-up', () => {
    const spending = after([
      [0, 1_000],
      [0.5, 900],
      [0.6, 5_900],
      [0.9, 5_650],
    ]);
    expect(spentWithin(spending, SPENDING_WINDOWS.week)).toMatchObject({ spent: 350n, falls: 2 });
  });

  it('within a window leaves out what lies before it', () => {
    const spending = after([
      [0, 1_000],
      [1, 900],
      [30, 890],
      [30.5, 880],
    ]);
    expect(spentWithin(spending, SPENDING_WINDOWS.day).spent).toBe(20n);
    expect(spentWithin(spending, SPENDING_WINDOWS.week).spent).toBe(120n);
  });

  it('is not changed by a text that is no amount', () => {
    const spending = after([[0, 1_000]]);
    for (const text of ['', '-5', 'NaN', '1e9', '9'.repeat(90)])
      expect(spentAfter(spending, text, HOUR)).toBe(spending);
  });

  it('equals what a plain sum of falls of a week finds, however the balances move', () => {
    const balances = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 0, max: 10_000 })),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(balances, (steps) => {
        let hours = 0;
        const all = steps.map(([quarters, utia]) => [(hours += quarters / 4), utia] as const);
        const firstHour = Math.floor(hours - 7 * 24);
        let sum = 0;
        for (const [index, [at, utia]] of all.entries()) {
          const before = all[index - 1]?.[1] ?? utia;
          if (Math.floor(at) >= firstHour) sum += Math.max(0, before - utia);
        }
        expect(spentWithin(after(all), SPENDING_WINDOWS.week).spent).toBe(BigInt(sum));
      }),
    );
  });
});

describe('the runway of an account', () => {
  it('is unknown before three falls', () => {
    expect(
      runwayOf(
        after([
          [0, 1_000],
          [1, 900],
          [2, 800],
        ]),
      ),
    ).toBeNull();
  });

  it('is one time where the rate is steady', () => {
    const steady = after(Array.from({ length: 200 }, (_, hour) => [hour, 100_000 - 10 * hour] as const));
    const runway = runwayOf(steady);
    const left = ((100_000 - 1_990) / 10) * HOUR;
    expect(runway?.fromMs).toBeGreaterThan(0.9 * left);
    expect(runway?.toMs).toBeLessThan(1.1 * left);
  });

  it('is not shortened by one transfer', () => {
    const steady = Array.from({ length: 50 }, (_, hour) => [hour, 900_000 - 10 * hour] as const);
    const moved = Array.from({ length: 50 }, (_, hour) => [50 + hour, 100_000 - 10 * hour] as const);
    const runway = runwayOf(after([...steady, ...moved]));
    expect(runway?.fromMs).toBeGreaterThan(5_000 * HOUR);
  });

  it('begins with the fastest rate: an account that suddenly empties is not called safe by its quiet week', () => {
    const quiet = Array.from({ length: 100 }, (_, hour) => [hour, 100_000 - hour] as const);
    const fast = [
      [100, 99_000],
      [100.3, 80_000],
      [100.6, 60_000],
      [100.9, 40_000],
    ] as const;
    const runway = runwayOf(after([...quiet, ...fast]));
    expect(runway?.fromMs).toBeLessThan(3 * HOUR);
    expect(runway?.toMs).toBeGreaterThan(24 * HOUR);
  });
});
