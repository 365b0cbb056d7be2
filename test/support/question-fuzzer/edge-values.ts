/** Values at the edges of an argument's range, and beyond. Each list is for one kind of argument. */

const INT64_MAX = '9223372036854775807';
const INT64_MIN = '-9223372036854775808';

/** Texts that some layer may interpret as more than text. */
export const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '%',
  '_',
  '\\',
  "'; DROP TABLE event;--",
  "' OR 1=1--",
  '$1',
  '${7*7}',
  '\u{1d54f}',
  '\u202e\u202d',
  'A'.repeat(20_000),
  '(a+)+$',
  '((((((',
  '[',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e400',
  '\n\r\t',
  '\u001b[31mred',
  '\ufeff',
  '\u0001\u007f\u0085',
  '%%%%%%%%%%',
  '\\%\\_',
  'record',
  'coverage',
  'prices',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\u0301'.repeat(500),
  'İıſK',
  'EUR',
];

export const TIME_ZONES: readonly string[] = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Africa/Monrovia',
  '+05:30',
  '-23:59',
  '+24:00',
  '+0530',
  'Etc/GMT+14',
  'europe/berlin',
  'utc',
  '',
  'Foo/Bar',
  'EST5EDT',
  'UTC\u0000',
  'Australia/Lord_Howe',
  'x'.repeat(5_000),
  '\ud800',
];

/** Ids of all kinds: nodes, submissions, jobs, read models. */
export const IDS: readonly string[] = [
  'nobody',
  '',
  '\u0000',
  'dev~1',
  'dev~2',
  `dev~${INT64_MAX}`,
  'dev~999999999999999999',
  'dev~0',
  'dev~-1',
  'fuzz-1~1~HEADER~5',
  'fuzz-1~2147483648~HEADER~1',
  'fuzz-1~2147483647~DATA~999999999999999999',
  '%7E~0',
  '~~~',
  '%',
  '%00~1',
  'A'.repeat(30_000),
  '1',
  '0',
  '-1',
  INT64_MAX,
  '99999999999999999999',
  'repeat:roll-up',
  '__proto__',
  'constructor',
  '\ud800',
  "1'",
];

export const INTS: readonly number[] = [
  0, 1, -1, 2, 5, 50, 999, 1_000, 1_001, 2_147_483_647, -2_147_483_648, 100_000, 100_001,
];

export const INT64S: readonly (string | number)[] = [
  '0',
  '1',
  '-1',
  '5',
  '100',
  INT64_MAX,
  INT64_MIN,
  '9223372036854775808',
  '-9223372036854775809',
  '-0',
  '00000000000000000001',
  '1e3',
  '\u0663',
  ' 1',
  '',
  '9007199254740993',
  '0x10',
  '1.5',
  0,
  1,
  9_007_199_254_740_992,
  1.5,
];

export const DECIMALS: readonly string[] = [
  '0',
  '-0',
  '1',
  '0.004',
  '-1',
  '1e9',
  '.5',
  '5.',
  `0.${'0'.repeat(300)}1`,
  '9'.repeat(400),
  '9'.repeat(20_000),
  'NaN',
  'Infinity',
  '',
  '\u0661',
];

const SECONDS_AGO = [0, 1, 60, 900, 3_600, 86_400, 7 * 86_400, -86_400, -400 * 86_400, 40 * 86_400];

/** Times around `now` (Unix milliseconds), and at both ends of every calendar involved. */
export function timesAround(now: number): readonly string[] {
  return [
    '0000-01-01T00:00:00Z',
    '0000-01-01T00:00:00+14:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '9999-12-31T23:59:59-12:00',
    '1970-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999999Z',
    '2262-04-12T00:00:00Z',
    '1677-09-21T00:12:43Z',
    '-000001-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T00:00:00+23:59',
    '2026-11-21T00:00:00-99:99',
    '2026-11-21',
    '',
    '\u0000',
    'now',
    'infinity',
    '4713-01-01T00:00:00Z',
    '2026-03-29T02:30:00+01:00',
    '1900-01-01T00:00:00Z',
    '2100-01-01T00:00:00Z',
    ...SECONDS_AGO.map((seconds) => new Date(now - seconds * 1_000).toISOString()),
  ];
}

export const HASHES: readonly string[] = [
  `0x${'ab'.repeat(32)}`,
  'ab'.repeat(32),
  Buffer.alloc(32).toString('base64'),
  ...TEXTS,
];

export const FEE_FILES: readonly string[] = [
  '',
  '\u0000',
  'height,fee',
  'da_height,fee\n1,1',
  'da_height,fee\n-1,5\n9223372036854775808,5\n1,0',
  'da_height;fee\n1;99999999999999999999999999999',
  'da_height\tfee\n"1\t2',
  `da_height,fee,tx\n1,1,\u0000\n2,2,${'f'.repeat(64)}`,
  '=cmd|x,fee\n1,1',
  `da_height,fee\n${'1,1\n'.repeat(3_000)}`,
  `da_height,fee\n${'"'.repeat(50_000)}`,
  `${',,,,,,'.repeat(2_000)}\n`,
  'da_height,fee,da_height\n1,2,3',
  '\ufeffda_height,fee\n1,2',
  `fee,da_height,namespace,version\n5,7,zz,0\n5,7,${'0'.repeat(58)},0`,
  'A'.repeat(90_001),
];

/** Values that fit no argument, or a different one. */
export const MISFITS: readonly unknown[] = [
  true,
  {},
  [],
  0,
  1.5,
  'x',
  { a: { b: 1 } },
  [[[]]],
  1e308,
  -1,
  null,
];

/** Names with a meaning in every JavaScript object. */
export const ALIASES: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'then',
  'toJSON',
  'hasOwnProperty',
  'length',
  'valueOf',
  'prototype',
  'data',
  'errors',
  'extensions',
];

function cursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function place(list: string, ...values: readonly unknown[]): string {
  return cursor(JSON.stringify([list, ...values.map(String)]));
}

const SUBMISSION_TIMES = [
  '1970-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '0000-12-31T23:59:59Z',
  '9999-12-31T23:59:59.999999999Z',
  '+010000-01-01T00:00:00Z',
  'infinity',
];

/** Synthetic cursors of every list, some of them far out. */
export const CURSORS: readonly string[] = [
  '',
  'AAAA',
  '====',
  ...SUBMISSION_TIMES.flatMap((time) =>
    [INT64_MAX, INT64_MIN, '1', '2147483648'].map((number) =>
      place('submissions', time, ...Array(5).fill(number)),
    ),
  ),
  place('blocks', INT64_MAX, INT64_MAX, INT64_MAX),
  place('blocks', INT64_MIN, '0', '0'),
  place('blocks', '1', '1', '1'),
  place('losses', INT64_MAX),
  place('losses', '-1'),
  place('losses', '1', '2'),
  place('events', INT64_MAX),
  place('events', '-1'),
  place('claims', '0001-01-01T00:00:00Z', INT64_MIN),
  place('incidents', '9999-12-31T23:59:59Z', 'alpha', ''),
  cursor(JSON.stringify(['submissions', INT64_MAX, INT64_MIN])),
  cursor(JSON.stringify(['blocks', '\u0000', '1', '1'])),
  cursor(JSON.stringify(['events', '1e999'])),
  cursor(JSON.stringify(['costs', 'infinity', null, {}])),
  cursor('[['),
  'x'.repeat(2_001),
];
