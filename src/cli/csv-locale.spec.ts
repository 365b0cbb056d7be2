import { csvRows, csvStart } from './csv-locale.js';

const COLUMNS = [{ name: 'what' }, { name: 'fee_tia', isNumber: true }, { name: 'coverage', isNumber: true }];
const ROWS = [
  ['a;b, "c"', '0.000160', 0.5],
  ['=1.5', '12', null],
];

it('writes CSV as programs read it', () => {
  expect(csvStart(COLUMNS, 'en')).toBe('what,fee_tia,coverage\n');
  expect(csvRows(ROWS, COLUMNS, 'en')).toBe(`"a;b, ""c""",0.000160,0.5\n'=1.5,12,\n`);
});

it('writes CSV as German spreadsheets read it: semicolons, a decimal comma in numbers alone, and the byte order mark of UTF-8', () => {
  expect(csvStart(COLUMNS, 'de')).toBe('\ufeffwhat;fee_tia;coverage\n');
  expect(csvRows(ROWS, COLUMNS, 'de')).toBe(`"a;b, ""c""";0,000160;0,5\n'=1.5;12;\n`);
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
] as const)('lets spreadsheets of no language compute, %s: %j', (locale, text, line) => {
  expect(csvRows([[text, '-0.5', null]], COLUMNS, locale)).toBe(line);
});
