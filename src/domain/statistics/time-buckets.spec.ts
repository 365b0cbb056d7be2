import fc from 'fast-check';
import {
  bucketStart,
  bucketStarts,
  hasWholeHourOffsets,
  isTimeZone,
  localDate,
  nextBucket,
  type Bucket,
} from './time-buckets.js';
import { tries } from '../../../test/support/tries.js';

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;
const iso = (at: bigint): string => new Date(Number(at / 1000n)).toISOString().replace(':00.000Z', 'Z');
const SIZES: readonly Bucket[] = [
  'TEN_SECONDS',
  'MINUTE',
  'QUARTER_HOUR',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
  { fiscal: 'QUARTER', yearStart: 2 },
  { fiscal: 'YEAR', yearStart: 10 },
];
const HOUR = 3_600_000_000n;

/** Zones whose clocks change in every way that occurs. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'America/Havana',
  'America/St_Johns',
  'America/New_York',
  'Asia/Beirut',
  'Asia/Gaza',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
] as const;

const zone = fc.constantFrom(...ZONES);
const size = fc.constantFrom(...SIZES);
/** With microseconds, 2000 to 2038. */
const moment = fc.bigInt({ min: us('2000-01-01T00:00Z'), max: us('2038-01-01T00:00Z') });
/** Mostly close to a change of the clocks. */
const closeMoment = fc
  .tuple(
    fc.constantFrom(
      '2011-12-30T10:00Z',
      '2018-11-04T03:00Z',
      '2019-02-17T02:00Z',
      '2010-11-07T02:31Z',
      '2022-03-26T22:00Z',
      '2026-03-29T01:00Z',
      '2026-10-25T01:00Z',
      '2026-04-04T15:00Z',
      '2026-11-01T05:00Z',
    ),
    fc.bigInt({ min: -30n * HOUR, max: 30n * HOUR }),
  )
  .map(([at, off]) => us(at) + off);
const anyMoment = fc.oneof(moment, closeMoment);

/** The zone's clocks, as text that sorts by time: computed differently from the code. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function local(at: bigint, name: string): { date: string; time: string; weekday: string } {
  const format =
    clocks.get(name) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: name,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  clocks.set(name, format);
  const part = new Map(format.formatToParts(Number(at / 1000n)).map(({ type, value }) => [type, value]));
  return {
    date: `${part.get('year')}-${part.get('month')}-${part.get('day')}`,
    time: `${part.get('hour')}:${part.get('minute')}:${part.get('second')}`,
    weekday: part.get('weekday') ?? '',
  };
}

describe('Buckets of every size in every zone', () => {
  it('hold the moment by which they are found', () => {
    fc.assert(
      fc.property(anyMoment, size, zone, (at, bucket, name) => {
        expect(bucketStart(at, bucket, name) <= at).toBe(true);
        expect(nextBucket(at, bucket, name) > at).toBe(true);
      }),
      tries(500),
    );
  });

  it('join without gap or overlap: a start is in its own bucket, the moment before in the one before', () => {
    fc.assert(
      fc.property(anyMoment, size, zone, (at, bucket, name) => {
        const start = bucketStart(at, bucket, name);
        const next = nextBucket(start, bucket, name);
        expect(nextBucket(at, bucket, name)).toBe(next);
        expect(bucketStart(start, bucket, name)).toBe(start);
        expect(bucketStart(next, bucket, name)).toBe(next);
        expect(bucketStart(next - 1n, bucket, name)).toBe(start);
        expect(nextBucket(bucketStart(start - 1n, bucket, name), bucket, name)).toBe(start);
      }),
      tries(500),
    );
  });

  it('of larger sizes begin where one of a smaller size does', () => {
    fc.assert(
      fc.property(anyMoment, zone, (at, name) => {
        for (const large of ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const) {
          const start = bucketStart(at, large, name);
          for (const smaller of ['HOUR', 'DAY'] as const)
            expect(bucketStart(start, smaller, name)).toBe(start);
        }
        const year = bucketStart(at, 'YEAR', name);
        for (const part of ['MONTH', 'QUARTER'] as const) expect(bucketStart(year, part, name)).toBe(year);
      }),
      tries(100),
    );
  });

  it('are summed up by the days in them', () => {
    fc.assert(
      fc.property(
        anyMoment,
        zone,
        fc.constantFrom('WEEK', 'MONTH', 'QUARTER', 'YEAR'),
        (at, name, bucket) => {
          const start = bucketStart(at, bucket, name);
          const end = nextBucket(start, bucket, name);
          const days = bucketStarts(start, end, 'DAY', name, 400) ?? [];
          expect(days[0]).toBe(start);
          expect(nextBucket(days.at(-1) as bigint, 'DAY', name)).toBe(end);
          const least = { WEEK: 6, MONTH: 27, QUARTER: 89, YEAR: 364 }[bucket];
          const most = { WEEK: 7, MONTH: 31, QUARTER: 92, YEAR: 366 }[bucket];
          expect(days.length >= least && days.length <= most).toBe(true);
        },
      ),
      tries(30),
    );
  });

  it('begin on whole quarter hours of UTC from 2012 on', () => {
    for (const name of ZONES) {
      const starts =
        bucketStarts(us('2012-01-01T00:00Z'), us('2030-01-01T00:00Z'), 'DAY', name, 10_000) ?? [];
      expect(starts.filter((start) => start % (HOUR / 4n) !== 0n)).toEqual([]);
    }
  });
});

describe('Days', () => {
  it('begin at 00:00 of the zone, or with the first moment after a jump over it', () => {
    fc.assert(
      fc.property(anyMoment, zone, (at, name) => {
        const start = bucketStart(at, 'DAY', name);
        const [first, before] = [local(start, name), local(start - 1_000_000n, name)];
        expect(before.date < first.date).toBe(true);
        if (first.time !== '00:00:00') expect(before.time.slice(0, 2)).toBe('23');
      }),
      tries(300),
    );
  });

  it('hold the moments that the clocks show with their date', () => {
    fc.assert(
      fc.property(moment, zone, (at, name) => {
        const { date } = local(bucketStart(at, 'DAY', name), name);
        const shown = local(at, name).date;
        expect(localDate(at, name)).toBe(shown);
        // If the clocks went back over midnight, the new day has begun.
        if (name !== 'America/St_Johns' && name !== 'Asia/Gaza') expect(date).toBe(shown);
        else expect(date >= shown).toBe(true);
      }),
      tries(300),
    );
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Europe/Berlin', '2026-10-26', 24],
    ['America/Sao_Paulo', '2018-11-04', 23],
    ['America/Sao_Paulo', '2019-02-16', 25],
    ['Asia/Beirut', '2022-03-27', 23],
    ['Asia/Beirut', '2022-10-29', 25],
    ['America/Havana', '2026-11-01', 25],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    ['Antarctica/Troll', '2026-03-29', 22],
    ['Asia/Kolkata', '2026-03-29', 24],
  ])('in %s on %s have %d hours', (name, date, hours) => {
    const start = bucketStart(us(`${date}T12:00Z`), 'DAY', name);
    expect(local(start, name).date).toBe(date);
    expect(Number(nextBucket(start, 'DAY', name) - start) / Number(HOUR)).toBe(hours);
  });

  it('begin at half and at three quarters of an hour if the zone does', () => {
    expect(iso(bucketStart(us('2026-06-15T12:00Z'), 'DAY', 'Asia/Kolkata'))).toBe('2026-06-14T18:30Z');
    expect(iso(bucketStart(us('2026-06-15T12:00Z'), 'DAY', 'Asia/Kathmandu'))).toBe('2026-06-14T18:15Z');
  });

  it('begin at 01:00 if the clocks jump over midnight', () => {
    const start = bucketStart(us('2018-11-04T12:00Z'), 'DAY', 'America/Sao_Paulo');
    expect([iso(start), local(start, 'America/Sao_Paulo').time]).toEqual(['2018-11-04T03:00Z', '01:00:00']);
  });

  it('are left out if the zone leaves one out', () => {
    const starts =
      bucketStarts(us('2011-12-29T12:00Z'), us('2012-01-01T00:00Z'), 'DAY', 'Pacific/Apia', 9) ?? [];
    const dates = starts.map((start) => local(start, 'Pacific/Apia').date);
    expect(dates).toEqual(['2011-12-29', '2011-12-31', '2012-01-01']);
    expect(
      bucketStarts(us('2011-12-26T12:00Z'), us('2012-01-01T09:00Z'), 'WEEK', 'Pacific/Apia', 9),
    ).toHaveLength(1);
  });

  it('have begun once midnight was reached, even if the clocks then go back over it', () => {
    // 00:01 on the 7th became 23:01 on the 6th.
    const start = bucketStart(us('2010-11-07T02:45Z'), 'DAY', 'America/St_Johns');
    expect(local(us('2010-11-07T02:45Z'), 'America/St_Johns').date).toBe('2010-11-06');
    expect([iso(start), local(start, 'America/St_Johns').date]).toEqual(['2010-11-07T02:30Z', '2010-11-07']);
  });

  it('follow offsets of odd seconds from before standard time', () => {
    const start = bucketStart(us('1971-06-15T12:00Z'), 'DAY', 'Africa/Monrovia');
    expect(new Date(Number(start / 1000n)).toISOString()).toBe('1971-06-15T00:44:30.000Z');
  });

  it('are as long as usual beyond the times that dates can express', () => {
    const far = 10n ** 18n * 9n;
    for (const at of [far, -far]) {
      const start = bucketStart(at, 'DAY', 'Europe/Berlin');
      expect(nextBucket(start, 'DAY', 'Europe/Berlin') - start).toBe(24n * HOUR);
    }
  });
});

describe('Weeks, months and years', () => {
  it('begin on a Monday, on the first of a month, on 1 January', () => {
    fc.assert(
      fc.property(moment, zone, (at, name) => {
        expect(local(bucketStart(at, 'WEEK', name), name).weekday).toBe('Mon');
        expect(local(bucketStart(at, 'MONTH', name), name).date).toMatch(/-01$/);
        expect(local(bucketStart(at, 'YEAR', name), name).date).toMatch(/-01-01$/);
      }),
      tries(100),
    );
  });

  it('are those of the calendar, leap years included, for thousands of years', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
        const at = BigInt(seconds) * 1_000_000n;
        const month = new Date(seconds * 1000).toISOString().slice(0, 7);
        expect(bucketStart(at, 'MONTH', 'UTC')).toBe(us(`${month}-01T00:00Z`));
        expect(bucketStart(at, 'YEAR', 'UTC')).toBe(us(`${month.slice(0, 4)}-01-01T00:00Z`));
      }),
      tries(300),
    );
  });

  it('of the year before 0 are reached, too', () => {
    expect(iso(bucketStart(us('-000001-03-05T00:00Z'), 'MONTH', 'UTC'))).toBe('-000001-03-01T00:00Z');
  });
});

describe('Hours', () => {
  it('begin at a full hour of the zone', () => {
    expect(iso(bucketStart(us('2026-06-15T12:10Z'), 'HOUR', 'Asia/Kolkata'))).toBe('2026-06-15T11:30Z');
    expect(iso(bucketStart(us('2026-06-15T12:10Z'), 'HOUR', 'Asia/Kathmandu'))).toBe('2026-06-15T11:15Z');
  });

  it('are two if the clocks show one twice', () => {
    const starts =
      bucketStarts(us('2026-10-25T00:00Z'), us('2026-10-25T02:00Z'), 'HOUR', 'Europe/Berlin', 9) ?? [];
    expect(starts.map((start) => local(start, 'Europe/Berlin').time)).toEqual(['02:00:00', '02:00:00']);
  });

  it('are cut if the clocks change within one', () => {
    const starts = bucketStarts(
      us('2026-04-04T14:00Z'),
      us('2026-04-04T17:00Z'),
      'HOUR',
      'Australia/Lord_Howe',
      9,
    );
    expect(starts?.map(iso)).toEqual([
      '2026-04-04T14:00Z',
      '2026-04-04T15:00Z',
      '2026-04-04T15:30Z',
      '2026-04-04T16:30Z',
    ]);
  });

  it('are those of UTC for UTC, before 1970, too', () => {
    expect(iso(bucketStart(us('2026-06-15T12:59:59.999Z'), 'HOUR', 'UTC'))).toBe('2026-06-15T12:00Z');
    expect(iso(bucketStart(us('1969-12-31T23:59:59.999Z') + 999n, 'QUARTER_HOUR', 'UTC'))).toBe(
      '1969-12-31T23:45Z',
    );
  });
});

describe('bucketStarts', () => {
  it('has no buckets in an empty range', () => {
    expect(bucketStarts(5n, 5n, 'DAY', 'UTC', 0)).toEqual([]);
    expect(bucketStarts(6n, 5n, 'DAY', 'UTC', 0)).toEqual([]);
  });

  it('begins with the bucket that holds the start and does not contain one that begins at the end', () => {
    const starts = bucketStarts(us('2026-01-01T05:00Z'), us('2026-01-03T00:00Z'), 'DAY', 'UTC', 9);
    expect(starts?.map(iso)).toEqual(['2026-01-01T00:00Z', '2026-01-02T00:00Z']);
  });

  it('gives up beyond the limit instead of listing a thousand years', () => {
    const range = [us('2026-01-01T00:00Z'), us('3026-01-01T00:00Z')] as const;
    expect(bucketStarts(...range, 'DAY', 'Europe/Berlin', 1_000)).toBeUndefined();
    expect(bucketStarts(us('2026-01-01T00:00Z'), us('2026-01-03T00:00Z'), 'DAY', 'UTC', 2)).toHaveLength(2);
    expect(
      bucketStarts(us('2026-01-01T00:00Z'), us('2026-01-03T00:00Z') + 1n, 'DAY', 'UTC', 2),
    ).toBeUndefined();
  });
});

describe('Zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'Asia/Kolkata', 'Etc/GMT+5', 'US/Pacific'])(
    'knows %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(['', 'Mars/Olympus', '+05:30', '-08', 'Europe/Berlin ', '../etc', 'x'.repeat(10_000), 'Europe\n'])(
    'does not know %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
      expect(() => bucketStart(0n, 'DAY', name)).toThrow(RangeError);
    },
  );

  it('says in which ranges full hours are those of UTC', () => {
    const year = [us('2026-01-01T00:00Z'), us('2027-01-01T00:00Z')] as const;
    expect(hasWholeHourOffsets('UTC', ...year)).toBe(true);
    expect(hasWholeHourOffsets('Europe/Berlin', ...year)).toBe(true);
    expect(hasWholeHourOffsets('Asia/Kolkata', ...year)).toBe(false);
    expect(hasWholeHourOffsets('Australia/Lord_Howe', ...year)).toBe(false);
    expect(hasWholeHourOffsets('Australia/Lord_Howe', us('2026-01-01T00:00Z'), us('2026-03-01T00:00Z'))).toBe(
      true,
    );
    // In 2010 the clocks of St. John's changed at one minute past midnight; their offset of -3:30 is not whole anyway.
    expect(hasWholeHourOffsets('Asia/Pyongyang', us('2018-05-03T00:00Z'), us('2018-05-06T00:00Z'))).toBe(
      false,
    );
    expect(hasWholeHourOffsets('Asia/Pyongyang', us('2018-05-06T00:00Z'), us('2018-06-01T00:00Z'))).toBe(
      true,
    );
  });

  it('does not search through thousands of years', () => {
    const age = [us('0001-01-01T00:00Z'), us('9999-01-01T00:00Z')] as const;
    expect(hasWholeHourOffsets('Europe/Berlin', ...age)).toBe(false);
    expect(hasWholeHourOffsets('UTC', ...age)).toBe(true);
  });
});
