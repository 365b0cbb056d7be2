import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { ExportColumn } from './export-column.js';
import { toCsv, toCsvHeader, toNdjson } from './row-writers.js';
import { tries } from '../../../test/support/tries.js';

const COLUMNS: readonly ExportColumn[] = [
  { name: 'text', kind: 'TEXT' },
  { name: 'count', kind: 'INT64' },
  { name: 'price', kind: 'DECIMAL' },
  { name: 'share', kind: 'DOUBLE' },
  { name: 'time', kind: 'TIME' },
];

const row = fc.tuple(
  fc.option(fc.string({ unit: 'binary' })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom('0.0020', '-12.5', null),
  // Files do not distinguish -0 from 0.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((share) => share + 0),
  fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }),
);

describe('rows that Hindsight writes itself', () => {
  it('come back from CSV, except for an apostrophe where a spreadsheet would compute', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const text = toCsvHeader(COLUMNS) + toCsv(rows, COLUMNS);
        const read = parse(text, { columns: true, record_delimiter: '\n' }) as Record<string, string>[];
        expect(
          read.map(({ text, count, price, share }) => [text, BigInt(count ?? ''), price, Number(share)]),
        ).toEqual(
          rows.map(([text, count, price, share]) => [
            (text ?? '')
              .replaceAll(/([;|\t\r\n](?:"|[^\S\t\r\n])*)(?=[=+\-@＝＋－＠])/g, "$1'")
              .replace(/^(?=[^\S\t\r\n]*[=+\-@\t\r\n＝＋－＠])/, "'"),
            count,
            price ?? '',
            share,
          ]),
        );
      }),
      tries(100),
    );
  });

  it('distinguish an empty text from a missing one, and leave negative numbers alone', () => {
    expect(toCsv([['', -1n, '-0.5', -2.5, 0n]], COLUMNS)).toBe(
      '"",-1,-0.5,-2.5,1970-01-01T00:00:00.000000Z\n',
    );
    expect(toCsv([[null, null, null, null, null]], COLUMNS)).toBe(',,,,\n');
  });

  it('come back from NDJSON with every digit', () => {
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const lines = toNdjson(rows, COLUMNS).split('\n');
        expect(lines.pop()).toBe('');
        for (const [index, line] of lines.entries()) {
          const [text, count, price, share] = rows[index] ?? [];
          expect(JSON.parse(line)).toMatchObject({ text, share: Object.is(share, -0) ? 0 : share });
          expect(line).toContain(`"count":${count},"price":${price},`);
        }
      }),
      tries(100),
    );
  });

  it('are German CSV with semicolons, a decimal comma in numbers alone, and the byte order mark of UTF-8', () => {
    const columns = COLUMNS.slice(0, 4);
    expect(toCsvHeader(columns, 'de')).toBe('\ufefftext;count;price;share\n');
    expect(toCsv([['a;b, "c"', 12n, '0.000160', 0.5]], columns, 'de')).toBe(`"a;b, ""c""";12;0,000160;0,5\n`);
    expect(toCsv([['=1.5', 12n, null, 0.5]], columns, 'de')).toBe(`'=1.5;12;;0,5\n`);
  });

  it.each([
    ['en', 'a;=1', `a;'=1,-0.5,\n`],
    ['en', 'a\t +1', `a\t '+1,-0.5,\n`],
    ['en', 'a\r"@x', `"a\r""'@x",-0.5,\n`],
    ['en', '\n\uff1d1', `"'\n'\uff1d1",-0.5,\n`],
    ['en', 'a|-1', `a|'-1,-0.5,\n`],
    ['en', '[1,-2]', `"[1,-2]",-0.5,\n`],
    ['de', 'a,=1', `a,'=1;-0,5;\n`],
    ['de', 'a;=1', `"a;=1";-0,5;\n`],
    ['de', ' \u00a0=1', `' \u00a0=1;-0,5;\n`],
  ] as const)('let spreadsheets of no language compute, %s: %j', (locale, text, line) => {
    const columns: ExportColumn[] = [
      { name: 'text', kind: 'TEXT' },
      { name: 'price', kind: 'DECIMAL' },
      { name: 'share', kind: 'DOUBLE' },
    ];
    expect(toCsv([[text, '-0.5', null]], columns, locale)).toBe(line);
  });
});
