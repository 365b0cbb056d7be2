import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome } from '../support/service-process.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';

/** The fiscal year of berlin-1 begins with March; the budgets of plain-1 disagree, and kolkata-1 has none. */
const SETTINGS = `alerts:
  rules:
    - { name: year, cost: { budget: 9, per: year, fiscalYearStart: 3 }, chains: [berlin-*] }
    - { name: month, cost: { budget: 1, per: month }, chains: [berlin-*, kolkata-*] }
    - { name: one, cost: { budget: 9, per: quarter, fiscalYearStart: 10 }, chains: [plain-*] }
    - { name: other, cost: { budget: 9, per: year, fiscalYearStart: 2 }, chains: [plain-*] }
`;

describe('hindsight report of fiscal years', () => {
  const home = new ServiceHome();
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-'));
  const config = join(folder, 'hindsight.yaml');
  let database: TestDatabase;
  let dataSource: DataSource;
  const run = (...args: string[]) =>
    home.run(['report', '--config', config, ...args], { databaseUrl: database.url });
  const berlin = async (...args: string[]): Promise<Record<string, string>[]> => {
    const { out, error } = await run('--chain', 'berlin-1', '--format', 'csv', ...args);
    expect(error).toBe('');
    return parse(out, { columns: true });
  };

  beforeAll(async () => {
    writeFileSync(config, SETTINGS);
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    const world = new StatisticsWorld(dataSource);
    await world.addNodes();
    // 320 utia each hour, from 1 December 2025 to 31 March 2026 in Berlin.
    await world.addSubmissions(1, everyHour('2025-11-30T23:00:00Z', '2026-03-31T22:00:00Z', 30));
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addCoverage('b1', '2025-11-30T23:00:00Z', '2026-03-31T22:00:00Z');
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.stop();
    await home.clear();
    rmSync(folder, { recursive: true });
  });

  it('has rows by the fiscal year of the settings, named for the year in which it ends', async () => {
    // 90 days to the end of February, and 31 days of March with 743 hours.
    expect(await berlin('--by', 'fiscal-year')).toMatchObject([
      {
        period: 'FY2026',
        from: '2025-02-28T23:00:00.000Z',
        to: '2026-02-28T23:00:00.000Z',
        submissions: '2160',
        fee_min_tia: '0.691200',
      },
      {
        period: 'FY2027',
        from: '2026-02-28T23:00:00.000Z',
        to: '2027-02-28T23:00:00.000Z',
        submissions: '743',
        fee_min_tia: '0.237760',
      },
    ]);
    const { out } = await run('--chain', 'berlin-1', '--by', 'fiscal-year', '--format', 'json', 'FY2026');
    const { chains } = JSON.parse(out) as { chains: { by: string; rows: unknown[]; notes: string[] }[] };
    expect(chains).toMatchObject([{ by: 'FISCAL_YEAR', rows: [{ period: 'FY2026' }] }]);
    expect(chains[0]?.notes).toContain(
      'The fiscal year begins with March and is named for the year in which it ends.',
    );
  });

  it('takes a fiscal year and its quarters as a time, with rows of any length', async () => {
    const months = await berlin('FY2026-q4');
    expect(months.map(({ period, submissions }) => [period, submissions])).toEqual([
      ['2025-12', '744'],
      ['2026-01', '744'],
      ['2026-02', '672'],
    ]);
    const quarters = await berlin('--by', 'fiscal-quarter', '--from', 'FY2026', '--to', 'FY2027-Q1');
    expect(quarters.map(({ period, submissions }) => [period, submissions])).toEqual([
      ['FY2026-Q1', ''],
      ['FY2026-Q2', ''],
      ['FY2026-Q3', ''],
      ['FY2026-Q4', '2160'],
      ['FY2027-Q1', '743'],
    ]);
    const { out } = await run('--chain', 'berlin-1', '--lines', 'FY2026');
    expect(out.trim().split('\n')).toHaveLength(1 + 2160);
    const { out: table } = await run('--chain', 'berlin-1', '--by', 'fiscal-quarter', 'FY2026-Q4');
    expect(table).toContain('2025-12-01 to 2026-02-28, by fiscal quarter; times in Europe/Berlin');
    expect(table).toMatch(/^FY2026-Q4 +2,160 /m);
  });

  it('takes another first month on the command line, and the calendar year for January', async () => {
    const yearOf = async (month: string): Promise<unknown> => {
      const [row] = await berlin('FY2026', '--by', 'fiscal-year', '--fiscal-year-start', month);
      return [row?.['from'], row?.['submissions']];
    };
    expect(await yearOf('4')).toEqual(['2025-03-31T22:00:00.000Z', '2903']);
    expect(await yearOf('1')).toEqual(['2025-12-31T23:00:00.000Z', '2159']);
    expect((await berlin('2026-Q1')).map(({ period }) => period)).toEqual(['2026-01', '2026-02', '2026-03']);
  });

  it.each([
    [
      ['--chain', 'kolkata-1', 'FY2026'],
      'The settings have no fiscal year for chain "kolkata-1".',
      '--fiscal-year-start 4',
    ],
    [
      ['--chain', 'plain-1', '--by', 'fiscal-quarter'],
      'Budgets of chain "plain-1" have fiscal years that begin with different months: 2, 10.',
      '--fiscal-year-start 2',
    ],
    [['--by', 'year', '--fiscal-year-start', '4'], 'No fiscal year is requested.', '--by fiscal-year'],
    [['FY2026-Q5'], 'PERIOD is not a time: FY2026-Q5', 'FY2026'],
    [['--by', 'fiscal-year', '--fiscal-year-start', '13'], 'It must be the number of a month', '--help'],
  ])('ends %j with code 2, a reason and a remedy', async (args, reason, remedy) => {
    const { code, out, error } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error.split('\n')[0]).toContain(reason);
    expect(error.split('\n')[1]).toContain(remedy);
  });
});
