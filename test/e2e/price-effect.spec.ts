import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome } from '../support/service-process.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';

const PATIENCE_MS = 60_000;

describe('hindsight prices set, for a time with reports', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;

  const run = (...args: string[]): Promise<CommandResult> => home.runHere(['prices', ...args], database.url);
  const set = (from: string, ...args: string[]): Promise<CommandResult> =>
    run('set', '--chain', 'berlin-1', '--from', from, ...args);
  const countEvents = async (): Promise<number> =>
    (await dataSource.query<unknown[]>('SELECT FROM event')).length;
  const tableOf = (out: string): string[][] =>
    out
      .split('\n')
      .filter((line) => /^ {2}(?:\d{4}|all)/.test(line))
      .map((line) => line.trim().split(/ {2,}/));

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    const world = new StatisticsWorld(dataSource);
    await world.addNodes();
    // One header blob per hour: 79,796 gas, which is 320 utia at 0.004, and 160 at 0.002.
    await world.addSubmissions(1, everyHour('2026-01-10T23:00:00Z', '2026-01-20T23:00:00Z', 30));
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addPrice('berlin-1', 'GAS_PRICE', '2026-01-18T23:00:00Z', { utia: '0.003' });
    await world.addPrice('berlin-1', 'FIAT_RATE', null, { unit: 'EUR', perTia: '1.25' });
    await world.rollUp();
  }, PATIENCE_MS);

  afterAll(async () => {
    await dataSource.destroy();
    await database.stop();
    await home.clear();
  });

  it(
    'says which days change, from which value to which, and records nothing without confirmation',
    async () => {
      const before = await countEvents();
      const { code, out, error } = await set(
        '2026-01-16T23:00:00Z',
        '--gas-price',
        '0.002',
        '--replace',
        '--note',
        "it's ours",
      );
      expect(code).toBe(2);
      expect(out).toContain(
        'This changes reported figures of berlin-1: 2 days, 2026-01-17 to 2026-01-18 (Europe/Berlin).\n',
      );
      expect(tableOf(out)).toEqual([
        ['2026-01-17', '24', '0.007680 TIA, 0.01 EUR', '0.003840 TIA, 0.0048 EUR'],
        ['2026-01-18', '24', '0.007680 TIA, 0.01 EUR', '0.003840 TIA, 0.0048 EUR'],
        ['all of that time', '48', '0.015360 TIA, 0.02 EUR', '0.007680 TIA, 0.01 EUR'],
      ]);
      expect(error.trimEnd().split('\n')).toEqual([
        'hindsight: This changes reported figures, and there is no terminal to ask for confirmation. Nothing was recorded.',
        'To confirm, run the same command with --yes.',
      ]);
      expect(await countEvents()).toBe(before);
    },
    PATIENCE_MS,
  );

  it(
    'reports hours when prices last only hours, and lists at most ten periods',
    async () => {
      const hours = await set('2026-01-17T23:10:00Z', '--gas-price', '0.002', '--replace');
      expect(hours.out).toContain(': 24 hours, 2026-01-18 00:00 to 2026-01-18 23:00 (Europe/Berlin).');
      expect(tableOf(hours.out)).toHaveLength(11);
      expect(hours.out).toContain('  14 more hours are not listed.');
    },
    PATIENCE_MS,
  );

  it(
    'asks for no confirmation if nothing changes: after the end of the record, or for values already in the book',
    async () => {
      expect(await set('2026-02-01', '--gas-price', '0.005')).toMatchObject({ code: 0, error: '' });
      expect(await set('now', '--fiat', 'EUR=2')).toMatchObject({ code: 0, error: '' });
      expect((await set('beginning', '--gas-price', '0.004')).out).toMatch(
        /^The price book already has these prices/,
      );
    },
    PATIENCE_MS,
  );

  describe('at a terminal', () => {
    itHasProgram('script');

    (hasProgram('script') ? it : it.skip).each([
      ['', 0, 'Nothing was recorded.'],
      ['y', 1, 'Recorded.'],
    ])(
      'asks for confirmation, and accepts %j as an answer',
      async (answer, recorded, said) => {
        const before = await countEvents();
        const args = [
          'prices',
          'set',
          '--chain',
          'berlin-1',
          '--from',
          '2026-01-12',
          '--gas-price',
          '0.0035',
          '--replace',
        ];
        const options = {
          databaseUrl: database.url,
          env: { HINDSIGHT_LOG_LEVEL: 'silent' },
          typed: `${answer}\n`,
        };
        const { code, out } = await home.run(args, options);
        expect(out).toContain('Record it anyway? [y/N]');
        expect(out).toContain(said);
        expect(code).toBe(0);
        expect((await countEvents()) - before).toBe(recorded);
      },
      PATIENCE_MS,
    );
  });

  it(
    'continues with --yes, and still says what changes',
    async () => {
      const { code, out } = await set('2026-01-19T23:00:00Z', '--gas-price', '0.001', '--replace', '--yes');
      expect(code).toBe(0);
      expect(tableOf(out)[0]).toEqual([
        '2026-01-20',
        '24',
        '0.005760 TIA, 0.01 EUR',
        '0.001920 TIA, 0.0024 EUR',
      ]);
      expect(out).toContain('Recorded.');
    },
    PATIENCE_MS,
  );
});
