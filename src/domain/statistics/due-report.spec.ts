import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import { findDueReport, type ReportedPeriod } from './due-report.js';
import { bucketStart, nextBucket } from './time-buckets.js';

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;
const periodAt = (now: string, zone: string, last?: string, by: ReportedPeriod = 'MONTH') =>
  findDueReport({ nowUs: us(now), zone, by, last })?.period;

describe('the report that is due', () => {
  it('is that of the last month that is over by the clocks of the zone, ten minutes after its end', () => {
    expect(periodAt('2026-10-31T23:09:59Z', 'Europe/Berlin', '2026-09')).toBeUndefined();
    expect(
      findDueReport({ nowUs: us('2026-10-31T23:10Z'), zone: 'Europe/Berlin', by: 'MONTH', last: '2026-09' }),
    ).toEqual({ period: '2026-10', fromUs: us('2026-09-30T22:00Z'), toUs: us('2026-10-31T23:00Z') });
    expect(periodAt('2026-10-31T23:10:00Z', 'UTC', '2026-09')).toBeUndefined();
  });

  it.each([
    ['2026-10-01T12:00:00Z', undefined, '2026-Q3'],
    ['2026-10-01T12:00:00Z', '2026-Q3', undefined],
    ['2027-01-01T12:00:00Z', '2026-Q3', '2026-Q4'],
    // Two quarters of no service: only the last one is sent.
    ['2027-04-02T12:00:00Z', '2026-Q3', '2027-Q1'],
  ])('at %s is that of a quarter after %s: %s', (now, last, period) => {
    expect(periodAt(now, 'UTC', last, 'QUARTER')).toBe(period);
  });

  it('is each period once, in order, however often it is looked for, whatever the zone', () => {
    const zones = ['UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns', 'Australia/Lord_Howe'];
    const steps = fc.array(fc.bigInt({ min: 0n, max: 26n * 86_400_000_000n }), {
      minLength: 1,
      maxLength: 40,
    });
    const from = fc.bigInt({ min: us('2010-01-01T00:00Z'), max: us('2037-01-01T00:00Z') });
    fc.assert(
      fc.property(
        from,
        steps,
        fc.constantFrom(...zones),
        fc.constantFrom('MONTH', 'QUARTER'),
        (start, pauses, zone, by) => {
          let [nowUs, last] = [start, undefined as string | undefined];
          let lastEndUs: bigint | undefined;
          for (const pause of pauses) {
            nowUs += pause;
            const due = findDueReport({ nowUs, zone, by, last });
            if (due === undefined) continue;
            // A whole period that is over, the next one after the last: no pause is longer than a month.
            expect(due.toUs < nowUs && nextBucket(due.toUs, by, zone) > nowUs - 600_000_000n).toBe(true);
            expect([bucketStart(due.fromUs, by, zone), nextBucket(due.fromUs, by, zone)]).toEqual([
              due.fromUs,
              due.toUs,
            ]);
            expect(due.fromUs).toBe(lastEndUs ?? due.fromUs);
            [last, lastEndUs] = [due.period, due.toUs];
            expect(findDueReport({ nowUs, zone, by, last })).toBeUndefined();
          }
        },
      ),
      tries(300),
    );
  });
});
