import fc from 'fast-check';
import type { RecordedPrice } from '../events.js';
import { Decimal } from './decimal.js';
import { CELESTIA_GAS } from './pay-for-blobs.js';
import { checkEntries, PriceBook, readPrice } from './price-book.js';
import type { PriceEntry } from './price-entry.js';
import { tries } from '../../../test/support/tries.js';

function gasPrice(effectiveFrom: bigint | null, utia: string): PriceEntry {
  return { effectiveFrom, subject: 'GAS_PRICE', utia: Decimal.parse(utia) ?? Decimal.ZERO };
}

function fiat(effectiveFrom: bigint | null, unit: string, perTia: string): PriceEntry {
  return { effectiveFrom, subject: 'FIAT_RATE', unit, perTia: Decimal.parse(perTia) ?? Decimal.ZERO };
}

function gasPriceAt(book: PriceBook, us: bigint): string | undefined {
  return book.at(us).gasPrice?.toString();
}

describe('PriceBook', () => {
  it('knows no price, and the gas of Celestia, where nothing was set', () => {
    expect(new PriceBook([]).at(5n)).toEqual({ gasPrice: null, schedule: CELESTIA_GAS, fiat: null });
  });

  it('applies each price from its moment until the next of its subject', () => {
    const schedule = { ...CELESTIA_GAS, signer: true };
    const book = new PriceBook([
      gasPrice(200n, '0.002'),
      gasPrice(null, '0.004'),
      { effectiveFrom: 100n, subject: 'GAS_SCHEDULE', schedule },
      fiat(150n, 'EUR', '0.81'),
    ]);
    expect(book.at(-(10n ** 15n))).toEqual({
      gasPrice: Decimal.parse('0.004'),
      schedule: CELESTIA_GAS,
      fiat: null,
    });
    expect(book.at(99n).schedule).toBe(CELESTIA_GAS);
    expect(book.at(100n).schedule).toBe(schedule);
    expect([199n, 200n, 10n ** 17n, 199n].map((us) => gasPriceAt(book, us))).toEqual([
      '0.004',
      '0.002',
      '0.002',
      '0.004',
    ]);
    expect(book.at(200n)).toEqual({
      gasPrice: Decimal.parse('0.002'),
      schedule,
      fiat: { unit: 'EUR', perTia: Decimal.parse('0.81') },
    });
  });

  it('uses the last of several entries of one moment', () => {
    const book = new PriceBook([
      gasPrice(7n, '1'),
      gasPrice(7n, '2'),
      gasPrice(null, '3'),
      gasPrice(null, '4'),
    ]);
    expect([gasPriceAt(book, 6n), gasPriceAt(book, 7n)]).toEqual(['4', '2']);
    expect(book.steps(0n, 10n)).toEqual([7n]);
  });

  it('names the moments strictly inside a range at which a price changes', () => {
    const book = new PriceBook([
      gasPrice(null, '1'),
      gasPrice(10n, '2'),
      fiat(20n, 'EUR', '1'),
      gasPrice(30n, '3'),
    ]);
    expect(book.steps(10n, 30n)).toEqual([20n]);
    expect(book.steps(9n, 31n)).toEqual([10n, 20n, 30n]);
  });

  it('can be fixed at the prices of a moment', () => {
    const book = new PriceBook([gasPrice(10n, '2'), fiat(20n, 'EUR', '1'), gasPrice(30n, '3')]);
    const flat = book.flatAt(25n);
    expect([0n, 25n, 99n].map((us) => flat.at(us))).toEqual([book.at(25n), book.at(25n), book.at(25n)]);
    expect(flat.steps(-(10n ** 18n), 10n ** 18n)).toEqual([]);
    expect(book.flatAt(0n).at(50n).gasPrice).toBeNull();
  });

  it('answers in any order like a search from the start', () => {
    const entries = fc.array(
      fc.record({ from: fc.option(fc.bigInt({ min: 0n, max: 50n })), utia: fc.nat({ max: 9 }) }),
    );
    fc.assert(
      fc.property(entries, fc.array(fc.bigInt({ min: -1n, max: 52n })), (given, moments) => {
        const book = new PriceBook(given.map(({ from, utia }) => gasPrice(from, String(utia))));
        for (const us of moments) {
          const begun = given.filter(({ from }) => from === null || from <= us);
          const latest = begun.reduce<(typeof begun)[number] | undefined>(
            (best, one) => (best && (best.from ?? -1n) > (one.from ?? -1n) ? best : one),
            undefined,
          );
          expect(gasPriceAt(book, us)).toBe(latest && String(latest.utia));
        }
      }),
      tries(100),
    );
  });
});

describe('the gas price throughout a time', () => {
  const book = new PriceBook([gasPrice(10n, '0.004'), gasPrice(20n, '0.0040'), gasPrice(30n, '0.002')]);

  it.each([
    [10n, 30n, '0.004'],
    [15n, 16n, '0.004'],
    [30n, 99n, '0.002'],
    [9n, 11n, undefined],
    [29n, 31n, undefined],
  ])('from %d to %d is %s', (from, to, utia) => {
    expect(book.gasPriceThroughout(from, to)?.toString()).toBe(utia);
  });
});

describe('reading a recorded price', () => {
  const at = { effectiveFrom: '2026-01-01T00:00:00.000001Z' };
  const effectiveFrom = 1_767_225_600_000_001n;

  it('reads each subject, with decimals and times to every digit', () => {
    expect(readPrice({ ...at, subject: 'GAS_PRICE', value: { utia: '0.0040' } })).toEqual(
      gasPrice(effectiveFrom, '0.004'),
    );
    expect(readPrice({ ...at, subject: 'FIAT_RATE', value: { unit: 'EUR', perTia: '0.81' } })).toEqual(
      fiat(effectiveFrom, 'EUR', '0.81'),
    );
    const value = { gasPerShareByte: '8', gasPerBlob: '700', fixedGas: '75000', signer: false };
    expect(readPrice({ effectiveFrom: null, subject: 'GAS_SCHEDULE', value })).toEqual({
      effectiveFrom: null,
      subject: 'GAS_SCHEDULE',
      schedule: CELESTIA_GAS,
    });
  });

  const schedule = { gasPerShareByte: '8', gasPerBlob: '700', fixedGas: '75000', signer: false };
  it.each<[string, RecordedPrice, string]>([
    ['a negative price', { ...at, subject: 'GAS_PRICE', value: { utia: '-0.004' } }, '"-0.004"'],
    ['an exponent', { ...at, subject: 'GAS_PRICE', value: { utia: '4e-3' } }, '"4e-3"'],
    ['a currency in words', { ...at, subject: 'FIAT_RATE', value: { unit: 'euro', perTia: '1' } }, '"euro"'],
    ['a negative rate', { ...at, subject: 'FIAT_RATE', value: { unit: 'EUR', perTia: '-1' } }, '"-1"'],
    [
      'half a gas',
      { ...at, subject: 'GAS_SCHEDULE', value: { ...schedule, gasPerBlob: '0.5' } },
      'gasPerBlob',
    ],
    [
      '31 February',
      { effectiveFrom: '2026-02-31T00:00:00Z', subject: 'GAS_PRICE', value: { utia: '1' } },
      '2026-02-31',
    ],
    [
      'a time without zone',
      { effectiveFrom: '2026-02-01', subject: 'GAS_PRICE', value: { utia: '1' } },
      'UTC',
    ],
  ])('refuses %s and says so', (_what, recorded, words) => {
    expect(readPrice(recorded)).toEqual(expect.stringContaining(words));
  });
});

describe('checking new entries', () => {
  const DAY = 86_400_000_000n;

  it('accepts entries that continue a book', () => {
    const existing = [gasPrice(null, '1'), gasPrice(DAY, '2')];
    const added = [gasPrice(2n * DAY, '3'), fiat(null, 'EUR', '1'), gasPrice(3n * DAY, '4')];
    expect(checkEntries(existing, added, { replace: false })).toEqual([]);
  });

  it('finds entries that go backwards or are given twice', () => {
    const added = [gasPrice(DAY + 1n, '1'), gasPrice(DAY, '2'), gasPrice(DAY, '2'), fiat(0n, 'EUR', '1')];
    expect(checkEntries([], added, { replace: true })).toEqual([
      'Gas price from 1970-01-02T00:00:00Z must come before the entry that holds from 1970-01-02T00:00:00.000001Z.',
      'Gas price from 1970-01-02T00:00:00Z is given twice.',
    ]);
  });

  it('allows changes of the past only on request', () => {
    const existing = [gasPrice(2n * DAY, '1'), gasPrice(DAY, '2'), fiat(9n * DAY, 'EUR', '1')];
    const fault = 'would change past prices: the book has an entry that holds from 1970-01-03T00:00:00Z.';
    expect(checkEntries(existing, [gasPrice(DAY, '5'), gasPrice(2n * DAY, '6')], { replace: false })).toEqual(
      [`Gas price from 1970-01-02T00:00:00Z ${fault}`, `Gas price from 1970-01-03T00:00:00Z ${fault}`],
    );
    expect(checkEntries(existing, [gasPrice(DAY, '5'), gasPrice(2n * DAY, '6')], { replace: true })).toEqual(
      [],
    );
  });
});
