import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { DataSource } from 'typeorm';
import { readChainReport } from '../../src/statistics/read/cost/chain-report.reader.js';
import { printReports } from '../../src/cli/report-formats.js';
import { millisToMicros } from '../../src/domain/time.js';
import { createDataSource } from '../../src/platform/database.js';
import { getRecordedChains } from '../../src/statistics/read/plan/recorded-chains.query.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { readPart, SmtpSink } from '../support/smtp-sink.js';
import { ServiceHome } from '../support/service-process.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';

const NOW = millisToMicros(Date.parse('2026-04-15T00:00:00Z'));
const plainly = (_style: string, text: string): string => text;

/** A chain name that an older log may contain. */
const HOSTILE = 'zz\u202e\u009b31m\u0085\u200b|<img src=x>`x`[y](http://z)\u{1f680}';

describe('hindsight report', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;

  const run = (...args: string[]) => home.runHere(['report', ...args], database.url);

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    const world = new StatisticsWorld(dataSource);
    await world.addNodes();
    // One header blob per hour: 1 share, 79,796 gas, 319.184 utia at 0.004, so 320; from February on 0.002: 160.
    await world.addSubmissions(1, everyHour('2026-01-10T23:00:00Z', '2026-03-31T22:00:00Z', 30));
    // A batch of 3 blobs and 1,500 bytes, whose single sizes are not known: 4 to 6 shares.
    await world.addSubmissions(1, ['2026-02-01T12:00:00Z'], {
      blob_count: 3,
      size_bytes: 1500,
      shares: null,
      signed_shares: null,
    });
    await world.addSubmissions(1, ['2026-02-02T12:00:00Z', '2026-02-02T12:00:05Z'], {
      status: 6,
      evidence: 0,
    });
    await world.addSubmissions(1, ['2026-03-02T12:00:00Z'], { evidence: 3 });
    await world.addSubmissions(4, everyHour('2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z', 10));
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addPrice('berlin-1', 'GAS_PRICE', '2026-01-31T23:00:00Z', { utia: '0.002' });
    await world.addPrice('berlin-1', 'FIAT_RATE', '2026-01-31T23:00:00Z', { unit: 'EUR', perTia: '1.25' });
    await insertRows(dataSource, 'lineage', [{ lineage_key: 9, chain_id: HOSTILE, n: 1, from_position: 1 }]);
    await insertRows(dataSource, 'node', [nodeRow(9, 'h1', { chain_id: HOSTILE, lineage_key: 9 })]);
    await world.addCoverage('b1', '2026-01-10T23:00:00Z', '2026-02-15T00:00:00Z');
    await world.addCoverage('b1', '2026-02-15T06:00:00Z', '2026-03-31T22:00:00Z');
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.stop();
    await home.clear();
  });

  /** Table cells of the lines that begin with a word, without the spaces between them. */
  const linesOf = (out: string, start: string): string[][] =>
    out
      .split('\n')
      .filter((line) => line.startsWith(start))
      .map((line) => line.split(/ {2,}/));

  it('prints a table with bounds, basis, separate failures, coverage and notes in plain words', async () => {
    const asked = ['--chain', 'berlin-1', '--from', '2026-01', '--to', '2026-03'];
    const { code, out, error } = await home.run(['report', ...asked], { databaseUrl: database.url });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain(
      'DA cost of chain berlin-1\n2026-01-01 to 2026-03-31, by month; times in Europe/Berlin',
    );
    expect(out).toContain('The record covers 2026-01-11 00:00 to 2026-03-31 23:59.');
    // January: 21 of 31 days, with 24 submissions a day at 320 utia each. February: 672 at 160 and a batch of 4 to 6 shares:
    // 93,484 to 101,676 gas, 187 to 204 utia. March: a day of 23 hours, and one more submission, which was wasted.
    expect(linesOf(out, '2026-')).toEqual([
      ['2026-01-01 to 2026-03-31, by month; times in Europe/Berlin'],
      ['2026-01', '504', '151.2 kB', '0.161280', 'unknown', '100% price book', '0', '67.7%'],
      [
        '2026-02',
        '673',
        '203.1 kB',
        '0.107707 to 0.107724',
        '0.13',
        '100% price book',
        '2',
        '0.000320',
        '99.1%',
      ],
      [
        '2026-03',
        '744',
        '223.2 kB',
        '0.119040',
        // The change of the fee in TIA, the column before it; in EUR the change differs.
        '+10.5%',
        '0.15',
        '100% price book',
        '0',
        '0.000160',
        '100%',
      ],
    ]);
    expect(linesOf(out, 'Total')).toEqual([
      [
        'Total',
        '1,921',
        '577.5 kB',
        '0.388027 to 0.388044',
        'at least 0.28',
        '100% price book',
        '2',
        '0.000320',
        '0.000160',
        '88.6%',
      ],
    ]);
    const notes = out.slice(out.indexOf('Notes')).replace(/\s+/g, ' ');
    expect(notes).toContain(
      'The record begins in the quarter hour of 2026-01-11 00:00: nothing is known about the time before.',
    );
    expect(notes).toContain(
      'Prices that begin in this time (times of Europe/Berlin): 1.25 EUR per TIA from 2026-02-01 00:00; 0.002 utia per gas from 2026-02-01 00:00.',
    );
    expect(notes).toContain('The fee does not include failed attempts.');
    expect(notes).toContain('if all of them were charged, they cost at most 0.000320 TIA.');
    expect(notes).toContain(
      'Wasted: no block of the chain points to 1 submission (paid for, and included in the fee).',
    );
    expect(notes).toContain('Coverage is the share of time in which no attempt can have been missed.');
  });

  it('distinguishes hours that clocks show twice, and gives no change for an unknown hour', async () => {
    const hours = (...time: string[]) => run('--chain', 'berlin-1', '--by', 'hour', ...time);
    const { out: autumn } = await hours('--from', '2025-10-26', '--to', '2025-10-26');
    expect(linesOf(autumn, '2025-10-26 0').map(([period]) => period)).toEqual([
      '2025-10-26 00:00',
      '2025-10-26 01:00',
      '2025-10-26 02:00 +02:00',
      '2025-10-26 02:00 +01:00',
      ...['03', '04', '05', '06', '07', '08', '09'].map((hour) => `2025-10-26 ${hour}:00`),
    ]);
    const { out: last } = await hours('--from', '2026-03-31T20:00:00Z', '--to', '2026-04-01T00:00:00Z');
    const priced = ['1', '300 B', '0.000160', '+0.0%', '0.0002', '100% price book', '0', '100%'];
    expect(linesOf(last, '2026-0').slice(1)).toEqual([
      ['2026-03-31 22:00', ...priced],
      ['2026-03-31 23:00', ...priced],
      ['2026-04-01 00:00', 'unknown', 'unknown', '0%'],
      ['2026-04-01 01:00', 'unknown', 'unknown', '0%'],
    ]);
  });

  it('says what is unknown about every chain', async () => {
    const { code, out } = await run('--by', 'year', '--from', '2024', '--to', '2026');
    expect(code).toBe(0);
    const [berlin = '', kolkata = '', plain = ''] = out.split(/^DA cost of chain /m).slice(1);
    expect(linesOf(berlin, '2024')[1]).toEqual(['2024', 'unknown', 'unknown', '0%']);
    expect(kolkata).toContain('Nothing is recorded for this chain yet.');
    expect(linesOf(plain, '2026 ')).toEqual([
      [
        new Date().getUTCFullYear() === 2026 ? '2026 (so far)' : '2026',
        '24',
        '7.2 kB',
        'unknown',
        '100% unknown',
        '0',
        '0%',
      ],
    ]);
    expect(plain.replace(/\s+/g, ' ')).toContain('`hindsight prices set` gives them one.');
  });

  it('prints all columns as exact CSV, with UTC times', async () => {
    const { out } = await run(
      '--chain',
      'berlin-1',
      '--format',
      'csv',
      '--group-by',
      'kind',
      '--to',
      '2026-02',
    );
    expect(out.split('\n')[0]).toMatch(/,counted,bytes$/);
    const rows = parse<Record<string, string>>(out, { columns: true });
    expect(rows.map(({ period }) => period)).toEqual(['2026-01', '2026-02']);
    expect(rows[1]).toMatchObject({
      chain: 'berlin-1',
      from: '2026-01-31T23:00:00.000Z',
      to: '2026-02-28T23:00:00.000Z',
      kind: 'HEADER',
      submissions: '673',
      size_bytes: '203100',
      bytes: '203100',
      fee_min_tia: '0.107707',
      fee_max_tia: '0.107724',
      fiat_max: '0.134655',
      fiat_unit: 'EUR',
      failed_attempts: '2',
      wasted_fee_max_tia: '0.000000',
    });
  });

  it('reports quarters', async () => {
    const asked = ['--chain', 'berlin-1', '--by', 'quarter', '--format', 'csv'];
    const read = async (...time: string[]): Promise<Record<string, string>[]> =>
      parse<Record<string, string>>((await run(...asked, ...time)).out, { columns: true });
    const rows = await read('--from', '2026-Q1', '--to', '2026-q1');
    expect(rows).toMatchObject([
      {
        period: '2026-Q1',
        from: '2025-12-31T23:00:00.000Z',
        to: '2026-03-31T22:00:00.000Z',
        submissions: '1921',
        fee_min_tia: '0.388027',
      },
    ]);
    expect((await read('--from', '2025-Q4', '--to', '2026')).map(({ period }) => period)).toEqual([
      '2025-Q4',
      '2026-Q1',
      '2026-Q2',
      '2026-Q3',
      '2026-Q4',
    ]);
    expect(await run(...asked, '--from', '2026-Q5')).toMatchObject({ code: 2, out: '' });
  });

  it('leaves out columns that do not fit the terminal, and names them', async () => {
    const [chain] = await getRecordedChains(dataSource, NOW);
    if (chain === undefined) throw new Error('there is a chain');
    const question = { bucket: 'MONTH', groupBy: [], nowUs: NOW } as const;
    const report = await readChainReport(dataSource, chain, {
      ...question,
      from: undefined,
      to: undefined,
      timeZone: undefined,
      knownAtUs: undefined,
      pricesAsOfUs: undefined,
    });
    const print = (width?: number): string => {
      const whole = printReports([report], 'table', plainly, { locale: 'en', totals: false, width });
      return whole.slice(0, whole.indexOf('Notes'));
    };
    expect(print()).toContain('Change');
    expect(print()).not.toContain('Left out');
    const narrow = print(100);
    expect(narrow).toContain(
      'Left out for lack of room: Change; Basis; Failed, at most (TIA); Wasted (TIA). --format csv',
    );
    const lines = narrow.split('\n').filter((line) => line.startsWith('2026-') || line.startsWith('Total'));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    // Period, submissions, fees, failures and coverage stay, however narrow the terminal is.
    expect(print(10)).toMatch(/Period +Submissions +Fee \(TIA\) +Fee \(EUR\) +Failed attempts +Coverage/);
  });

  it('prints JSON with the sum and the notes, at the prices of one moment', async () => {
    const { out } = await run(
      '--chain',
      'berlin-1',
      '--format',
      'json',
      '--prices-as-of',
      '2026-01-15',
      '--to',
      '2026-02-10',
    );
    const { chains } = JSON.parse(out) as { chains: Record<string, unknown>[] };
    expect(chains).toMatchObject([
      {
        chain: 'berlin-1',
        timeZone: 'Europe/Berlin',
        pricesAsOf: '2026-01-15T00:00:00.000Z',
        to: '2026-02-10T23:00:00.000Z',
        // 504 and 240 at 320 utia, and the batch: 373.936 to 406.704.
        rows: [{ fee_max_tia: '0.161280' }, { fee_min_tia: '0.077174', fee_max_tia: '0.077207' }],
        total: { size_bytes: '224700', bytes: '224700', fee_max_tia: '0.238487', priced_share: 1 },
      },
    ]);
    expect(chains[0]?.['notes']).toContainEqual(expect.stringMatching(/^The whole time is priced/));
  });

  it('gives no sum for an unknown time, and says "at least" where a part is unknown', async () => {
    const json = async (...time: string[]): Promise<unknown> => {
      const { out } = await run('--chain', 'berlin-1', '--format', 'json', ...time);
      const { chains } = JSON.parse(out) as { chains: { rows: unknown; total: unknown }[] };
      return chains[0];
    };
    const none = {
      submissions: null,
      size_bytes: null,
      bytes: null,
      fee_min_tia: null,
      fee_max_tia: null,
      failed_attempts: null,
    };
    expect(await json('--from', '2024-01', '--to', '2024-02')).toMatchObject({
      rows: [none, none],
      total: none,
    });
    const known = { submissions: '504', fee_min_tia: '0.161280' };
    expect(await json('--from', '2025-12', '--to', '2026-01')).toMatchObject({
      rows: [none, { ...known, fee_max_tia: '0.161280' }],
      total: { ...known, fee_max_tia: null, failed_attempts: '0' },
    });
    const { out } = await run('--chain', 'berlin-1', '--from', '2025-12', '--to', '2026-01');
    expect(linesOf(out, 'Total')[0]?.slice(1, 4)).toEqual([
      'at least 504',
      'at least 151.2 kB',
      'at least 0.161280',
    ]);
    expect(out.replace(/\s+/g, ' ')).toContain(
      'not monitored and has no records: the submissions in it are unknown, and the total is "at least".',
    );
  });

  it('lists the lines of the total, and writes files for a German spreadsheet', async () => {
    const period = ['--chain', 'berlin-1', '--from', '2026-02', '--to', '2026-03'];
    const { out } = await run(...period, '--lines');
    const lines = parse<Record<string, string>>(out, { columns: true });
    expect(lines).toHaveLength(673 + 744);
    expect(lines[0]).toEqual({
      chain: 'berlin-1',
      time: '2026-01-31T23:30:00.000000Z',
      id: 'b1~505',
      node: 'b1',
      status: 'SUCCESS',
      kind: 'HEADER',
      namespace: lines[0]?.['namespace'],
      da_height: lines[0]?.['da_height'],
      blob_count: '1',
      size_bytes: '300',
      gas_min: '79796',
      gas_max: '79796',
      fee_min_tia: '0.000160',
      fee_max_tia: '0.000160',
      fee_basis: 'PRICED',
      fiat_min: '0.0002',
      fiat_max: '0.0002',
      fiat_unit: 'EUR',
      blobs: '1',
      basis: 'PRICED',
      bytes: '300',
    });
    const utia = (name: string): number =>
      lines.reduce((sum, line) => sum + Math.round(Number(line[name]) * 1e6), 0);
    const files = await run(...period, '--format', 'csv', '--totals', '--locale', 'de');
    expect(files.out).toMatch(/^\ufeff?chain;period;from;/);
    const rows = parse<Record<string, string>>(files.out, { columns: true, delimiter: ';', bom: true });
    expect(rows.map((row) => [row['period'], row['fee_min_tia']])).toEqual([
      ['2026-02', '0,107707'],
      ['2026-03', '0,119040'],
      ['total', '0,226747'],
    ]);
    // Dates of the zone, as German spreadsheets read them.
    expect(rows.map((row) => [row['from'], row['to']])).toEqual([
      ['01.02.2026', '01.03.2026'],
      ['01.03.2026', '01.04.2026'],
      ['01.02.2026', '01.04.2026'],
    ]);
    expect(rows.map((row) => row['priced_share'])).toEqual(['1', '1', '1']);
    expect(rows[0]?.['coverage']).toMatch(/^0,99\d{4}$/);
    expect([utia('fee_min_tia'), utia('fee_max_tia')]).toEqual([226_747, 226_764]);
    expect(await run('--locale', 'de')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--locale is for CSV only'),
    });
    expect(await run('--lines', '--totals')).toMatchObject({ code: 2 });
  });

  it('prints Markdown, and times of another zone', async () => {
    const { out } = await run(
      '--chain',
      'plain-1',
      '--format',
      'markdown',
      '--by',
      'day',
      '--time-zone',
      'Asia/Kolkata',
    );
    const lines = out.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '## DA cost of plain-1',
      '',
      '| Period | Submissions | Data posted | Fee (TIA) | Basis | Failed attempts | Failed, at most (TIA) | Coverage |',
      '| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |',
    ]);
    expect(out).toMatch(/^\| 2026-03-10 \| (?:at least )?19 \|/m);
    expect(out).toMatch(/^\| Total \|/m);
  });

  it('prints a chain name without active characters, and exactly as JSON', async () => {
    const ask = (format: string) =>
      run('--chain', HOSTILE, '--from', '2026', '--to', '2026', '--by', 'year', '--format', format);
    const { out: table } = await ask('table');
    expect(table).toMatch(/^DA cost of chain zz\?\?31m\?\?\|<img src=x>`x`\[y\]\(http:\/\/z\)🚀\n/);
    const { out: markdown } = await ask('markdown');
    expect(markdown).toMatch(
      /^## DA cost of zz\?\?31m\?\?\\\|\\<img src=x\\>\\`x\\`\\\[y\\\]\(http\\:\/\/z\)🚀$/m,
    );
    const { out: json } = await ask('json');
    expect(JSON.parse(json)).toMatchObject({ chains: [{ chain: HOSTILE, rows: [{ chain: HOSTILE }] }] });
    const { error } = await run('--chain', 'nobody');
    for (const text of [table, markdown, json, error]) {
      // oxlint-disable-next-line no-control-regex -- these are what it is about
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\p{Cf}]/u);
    }
  });

  it('sends a month by mail, to a destination of the settings', async () => {
    const smtp = await SmtpSink.start();
    const config = join(mkdtempSync(join(tmpdir(), 'hindsight-')), 'hindsight.yaml');
    writeFileSync(
      config,
      `alerts:
  destinations:
    - { id: ops, email: ops@example.org, smtp: "smtp://127.0.0.1:${smtp.port}", from: us@example.org }
    - { id: hook, webhook: "http://127.0.0.1:1/" }
`,
    );
    const send = (...args: string[]) => run('--config', config, '--chain', 'berlin-1', ...args);
    const { code, out, error } = await send('2026-03', '--mail', 'ops', '--locale', 'de');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toBe('Sent to ops: DA cost of chain berlin-1, 2026-03-01 to 2026-03-31\n');
    const [mail = ''] = smtp.mails;
    expect(mail).toMatch(/^To: ops@example.org\r$/m);
    expect(mail).toContain('filename=da-cost.csv');

    // The total of 744 submissions, by semicolons and with a decimal comma.
    expect(readPart(mail, 'text/csv')).toMatch(/;total;01\.03\.2026;01\.04\.2026;744;[^\n]*0,11/);
    smtp.answer = 554;
    const refused = await send('2026-03', '--mail', 'ops');
    expect([refused.code, refused.error.split('\n')[0]]).toEqual([
      1,
      'hindsight: The mail was not accepted: it answered 554.',
    ]);
    for (const args of [
      ['--mail', 'hook'],
      ['--mail', 'ops', '--format', 'csv'],
      ['2026-03', '--from', '2026-03'],
    ]) {
      const wrong = await send(...args);
      expect([args, wrong.code, wrong.out]).toEqual([args, 2, '']);
    }
    expect(smtp.mails).toHaveLength(2);
    await smtp.stop();
  });

  it.each([
    [['2026-03-01T00:00:00Z'], '2026-03-01T00:00:00Z is a moment.', '--from and --to'],
    [['--chain', 'x'], 'There is no chain "x".', 'Known chains: berlin-1, kolkata-1, plain-1, zz??31m'],
    [['--from', '2026-02-30'], '--from is not a time: 2026-02-30', 'Write it as 2026, 2026-Q1'],
    [['--time-zone', 'Mars/Olympus'], '--time-zone is not a time zone: Mars/Olympus', 'Europe/Berlin'],
    [['--group-by', 'kind,colour'], '--group-by does not know "colour"', 'node, namespace, kind, status'],
    [['--from', '2000', '--by', 'hour'], 'rows; the limit is 10000', '--help'],
  ])('ends %j with code 2, a reason and a remedy', async (args, reason, remedy) => {
    const { code, out, error } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.split('\n')[0]).toContain(reason);
    expect(error.split('\n')[1]).toContain(remedy);
  });
});
