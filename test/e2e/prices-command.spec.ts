import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows, nameChains, nodeRow, submissionRow } from '../support/read-model-rows.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome } from '../support/service-process.js';

describe('hindsight prices and import', () => {
  let database: TestDatabase;
  let home: ServiceHome;
  let folder: string;

  const run = (...args: string[]): Promise<CommandResult> => home.runHere(args, database.url);
  const runAsProcess = (...args: string[]): Promise<CommandResult> =>
    home.run(args, { databaseUrl: database.url });
  const write = (text: string): string => {
    const path = join(folder, 'fees.csv');
    writeFileSync(path, text);
    return path;
  };

  beforeAll(async () => {
    home = new ServiceHome();
    folder = mkdtempSync(join(tmpdir(), 'hindsight-fees-'));
    database = await startTestDatabase();
    const dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'one', { chain_id: 'alpha-1' }),
      nodeRow(2, 'two', { chain_id: 'beta-1' }),
    ]);
    await nameChains(dataSource);
    await insertRows(dataSource, 'submission', [
      submissionRow(1, { lineage_key: null, da_height: 100 }),
      submissionRow(2, { lineage_key: null, da_height: 101 }),
    ]);
    await dataSource.destroy();
  });

  afterAll(async () => {
    await home?.clear();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('set prices and show them as a table', async () => {
    expect((await run('prices')).out).toContain('No prices are recorded.');
    const first = await runAsProcess(
      'prices',
      'set',
      '--chain',
      'alpha-1',
      '--from',
      'beginning',
      '--gas-price',
      '0.004',
    );
    expect(first).toMatchObject({ code: 0, error: '' });
    const set = ['prices', 'set', '--chain', 'alpha-1', '--from', '2026-03-01', '--note', 'Celenium'];
    const second = await run(...set, '--gas-price', '0.002', '--fiat', 'EUR=1.23', '--fixed-gas', '80000');
    expect(second.out).toMatch(/^Recorded\./);
    const listed = await run('prices', '--chain', 'alpha-1');
    expect(listed.code).toBe(0);
    const table = listed.out.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  (?=set|Cel)/g, 'NOW  ').split('\n');
    expect(table).toEqual([
      'Prices of alpha-1',
      expect.stringMatching(/^ {2}WHAT +FROM +VALUE +RECORDED +SOURCE$/) as unknown,
      '  fiat rate     2026-03-01T00:00:00Z  1.23 EUR per TIA                              NOW  Celenium',
      '  gas price     the beginning         0.004 utia per gas                            NOW  set by command',
      '  gas price     2026-03-01T00:00:00Z  0.002 utia per gas                            NOW  Celenium',
      '  gas schedule  2026-03-01T00:00:00Z  8 per byte of a share + 700 per blob + 80000  NOW  Celenium',
      '',
    ]);
    const json = JSON.parse((await run('prices', '--json')).out) as { prices: unknown[] };
    expect(json.prices).toContainEqual({
      chain: 'alpha-1',
      subject: 'FIAT_RATE',
      from: '2026-03-01T00:00:00.000Z',
      value: { unit: 'EUR', perTia: '1.23' },
      recordedAt: expect.stringMatching(/^\d{4}-/) as unknown,
      source: 'Celenium',
    });
    expect(json.prices).toContainEqual(expect.objectContaining({ subject: 'GAS_PRICE', from: null }));
    expect((await run(...set, '--gas-price', '0.002')).out).toMatch(
      /^The price book already has these prices/,
    );
    expect((await run('prices', 'list', '--known-at', '2026-01-01')).out).toContain('No prices are recorded');
  });

  it.each([
    [['--from', 'soon', '--gas-price', '1'], '--from is not a time: soon'],
    [['--from', 'now', '--gas-price=-1'], 'above 0'],
    [['--from', 'now', '--fiat', '1.23'], '--fiat is not a rate'],
    [['--gas-price', '1'], "required option '--from <TIME>' not specified"],
    [['--from', '2020-01-01', '--gas-price', '1'], 'would change past prices'],
    [['--from', 'now', '--gas-price', '1', '--chain', 'alpha-2'], 'There is no chain "alpha-2".'],
  ])('refuse to set %j with a reason and a remedy', async (args, reason) => {
    const { code, error, out } = await run('prices', 'set', '--chain', 'alpha-1', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(reason);
    expect(error.trimEnd().split('\n')).toHaveLength(2);
  });

  it('import fees, report fees without a match, and change nothing the second time', async () => {
    const file = write('Height;Fee\n100;761\n101;762\n555;763\n');
    const first = await runAsProcess('import', 'fees', file, '--chain', 'alpha-1');
    expect(first).toEqual({
      code: 0,
      error: '',
      out: `Imported fees.csv for alpha-1: 3 lines, 3 new, 0 corrected, 0 known already.
No submission matches 1 line; the fees are kept, and count once a matching submission is recorded:
  line 4  763 utia  no submission is recorded at DA height 555
`,
    });
    expect((await run('import', 'fees', file, '--chain', 'alpha-1')).out).toContain(
      '3 lines, 0 new, 0 corrected, 3 known already',
    );
  });

  it('import nothing from a file with bad lines, unless told to skip them', async () => {
    const file = write('height,fee\n100,5\n0,1\nx,\n');
    const refused = await run('import', 'fees', file, '--chain', 'alpha-1');
    expect(refused.code).toBe(1);
    expect(refused.out).toBe(
      '2 lines cannot be used:\n  line 3  the DA height is 0; DA heights count from 1\n  line 4  "x" is not a DA height; has no fee\n',
    );
    expect(refused.error).toBe(
      'hindsight: Nothing was imported from fees.csv: 2 of its 3 lines cannot be used.\nCorrect these lines, or give --skip-bad to import the others.\n',
    );
    const { code, out } = await run('import', 'fees', file, '--chain', 'alpha-1', '--skip-bad');
    expect(code).toBe(0);
    expect(out).toContain('1 line, 1 new');
    expect(out).toContain('More fees than submissions');
  });

  it('name a missing file, and a file that is not a list of fees', async () => {
    const missing = await run('import', 'fees', '/nowhere.csv', '--chain', 'alpha-1');
    expect(missing.code).toBe(2);
    expect(missing.error).toContain('Cannot read /nowhere.csv: ENOENT');
    const empty = await runAsProcess('import', 'fees', '-', '--chain', 'alpha-1');
    expect(empty.error).toContain('The file is empty.');
  });

  it('import rates from a file of a German spreadsheet, either all or none', async () => {
    const path = join(folder, 'rates.csv');
    const load = (text: string): Promise<CommandResult> => {
      writeFileSync(path, text);
      return run('prices', 'import', path, '--chain', 'beta-1');
    };
    const bad = await load('\ufefffrom;EUR\n2030-01-01;1,25\n01.02.2030;1,5\n');
    expect(bad).toMatchObject({
      code: 2,
      error: expect.stringContaining('line 3: "01.02.2030" is not a time'),
    });
    expect((await run('prices', '--chain', 'beta-1')).out).toContain('No prices are recorded for beta-1.');
    const rates = '\ufefffrom;EUR\n2030-01-01;1,25\n2030-02-01;1,5\n';
    expect(await load(rates)).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringMatching(/^Recorded\./),
    });
    const { out } = await run('prices', '--chain', 'beta-1');
    expect(
      out
        .split('\n')
        .filter((line) => line.includes('fiat rate'))
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['fiat rate', '2030-01-01T00:00:00Z', '1.25 EUR per TIA', expect.any(String), 'rates.csv'],
      ['fiat rate', '2030-02-01T00:00:00Z', '1.5 EUR per TIA', expect.any(String), 'rates.csv'],
    ]);
    expect((await load(rates)).out).toContain('The price book already has these prices');
  });
});
