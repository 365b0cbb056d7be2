import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { itAtOnce } from '../support/at-once.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome } from '../support/service-process.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';
import type { CommandResult } from '../support/command-here.js';

const PATIENCE_MS = 180_000;

/** Each prints several times the 64 kB that a pipe holds: at once, page by page, and streamed from the database. */
const LARGE = [
  'report --chain berlin-1 --by hour --format json',
  'report --chain berlin-1 --lines',
  'export submissions --format ndjson',
];

const CODE_OF_FIRST = 'exit ${PIPESTATUS[0]}';

describe('the output of a command', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;

  const run = (line: string): Promise<CommandResult> => home.runLine(line, { databaseUrl: database.url });
  const file = (name: string): string => join(home.dataDir, name);
  const folder = (name: string): string => {
    mkdirSync(file(name));
    return file(name);
  };

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    const world = new StatisticsWorld(dataSource);
    await world.addNodes();
    await world.addSubmissions(1, everyHour('2026-01-01T00:00:00Z', '2026-03-10T00:00:00Z', 30));
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.004' });
    await world.addCoverage('b1', '2026-01-01T00:00:00Z', '2026-03-10T00:00:00Z');
    // The first command takes longer, because it brings the read models up to date.
    expect(await run('$HINDSIGHT report --chain berlin-1')).toMatchObject({ code: 0, error: '' });
  }, PATIENCE_MS);

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.stop();
    await home.clear();
  }, PATIENCE_MS);

  async function reachesSlowReaders(): Promise<void> {
    for (const args of LARGE) {
      const whole = await home.runHere(args.split(' '), database.url);
      const taken = file(args);
      const slow = await run(`$HINDSIGHT ${args} | (sleep 1; cat > '${taken}'); ${CODE_OF_FIRST}`);
      expect(slow).toEqual({ code: 0, out: '', error: '' });
      expect(whole.out.length).toBeGreaterThan(200_000);
      expect(withoutTime(readFileSync(taken, 'utf8')) === withoutTime(whole.out)).toBe(true);
    }
  }

  async function reachesSlowReadersOfErrors(): Promise<void> {
    // The pipe is full before the command writes.
    const fill = 'head -c 65536 /dev/zero >&2';
    const { code } = await run(
      `set -o pipefail; { ${fill}; $HINDSIGHT report --chain nobody; } 2>&1 >/dev/null | (sleep 3; tr -d '\\0' > ${file('said')})`,
    );
    expect(code).toBe(2);
    expect(readFileSync(file('said'), 'utf8')).toBe(
      'hindsight: There is no chain "nobody".\nKnown chains: berlin-1, kolkata-1, plain-1.\n',
    );
  }

  async function endsForReadersThatLeave(): Promise<void> {
    for (const args of LARGE) {
      const left = await run(`$HINDSIGHT ${args} | head -1; ${CODE_OF_FIRST}`);
      expect([args, left]).toEqual([
        args,
        { code: 141, out: expect.stringMatching(/^.*\n$/) as unknown, error: '' },
      ]);
    }
    // A command that fails by itself still reports its failure.
    const failed = await run(`$HINDSIGHT report --chain nobody | true; ${CODE_OF_FIRST}`);
    expect(failed).toMatchObject({ code: 2, error: expect.stringContaining('no chain "nobody"') });
  }

  async function isStoppedBySignals(): Promise<void> {
    // The reader reads nothing, and ends after the command.
    const stop = (signal: string, args: string): Promise<CommandResult> =>
      run(
        `exec 3> >(exec sleep 100 > /dev/null 2>&1); reader=$!
         timeout --preserve-status -s ${signal} 8 $HINDSIGHT ${args} >&3
         code=$?; kill $reader; exit $code`,
      );
    const [reported, exported] = await Promise.all([
      stop('TERM', 'report --chain berlin-1 --by hour --format json'),
      // This command waits in the middle of its work, and gives it up.
      stop('INT', 'export submissions'),
    ]);
    expect(reported).toEqual({ code: 143, out: '', error: '' });
    expect(exported).toMatchObject({ code: 130, error: '' });
  }

  async function failsOnFullDisks(): Promise<void> {
    const full = 'hindsight: Cannot write to standard output: no space left on device.\n';
    for (const args of [...LARGE, 'prices list', '--help']) {
      const { code, error } = await run(`$HINDSIGHT ${args} > /dev/full`);
      expect([args, code, error.slice(0, full.length)]).toEqual([args, 1, full]);
      expect(error.split('\n')).toHaveLength(3);
    }
    const unsaid = await run('$HINDSIGHT export submissions --limit 1 2> /dev/full');
    expect(unsaid).toMatchObject({ code: 1, error: '' });
  }

  /** The disk has room for a part of the output: the system accepts that part without an error. */
  async function failsOnAlmostFullDisks(): Promise<void> {
    for (const args of LARGE.slice(0, 2)) {
      expect(await run(`ulimit -f 64; $HINDSIGHT ${args} > ${file('part')}`)).toMatchObject({
        code: 1,
        error: expect.stringMatching(/^hindsight: Cannot write to standard output: file too large\.\n/),
      });
    }
  }

  async function leavesNoPartUnderItsName(): Promise<void> {
    for (const format of ['csv', 'parquet']) {
      const [place, out] = [folder(`out-${format}`), join(file(`out-${format}`), 'rows')];
      const asked = `$HINDSIGHT export submissions --format ${format} --out`;
      const failed = await run(`ulimit -f 8; ${asked} ${out}`);
      expect([format, failed]).toEqual([
        format,
        { code: 1, out: '', error: `hindsight: Cannot write ${out}: file too large.\n${MAKE_ROOM}` },
      ]);
      expect(readdirSync(place)).toEqual([]);
      const again = ['export', 'submissions', '--format', format, '--out', out];
      expect(await home.runHere(again, database.url)).toMatchObject({ code: 0, error: '' });
      const whole = readFileSync(out);
      // An existing file stays until the new one is complete.
      expect(await run(`ulimit -f 8; ${asked} ${out}`)).toMatchObject({ code: 1 });
      expect(readFileSync(out).equals(whole)).toBe(true);
      expect(readdirSync(place)).toEqual(['rows']);
    }
    const elsewhere = ['export', 'submissions', '--out', file('nowhere/rows.csv')];
    const nowhere = await home.runHere(elsewhere, database.url);
    expect(nowhere).toMatchObject({
      code: 1,
      error: `hindsight: Cannot write ${file('nowhere/rows.csv')}: no such file or directory.\nMake its folder first, or write to another place.\n`,
    });
  }

  async function writesPipes(): Promise<void> {
    const [pipe, taken] = [join(folder('pipes'), 'rows'), file('from-pipe')];
    const asked = '$HINDSIGHT export submissions --limit 1 --out';
    expect(await run(`mkfifo ${pipe}; cat ${pipe} > ${taken} & ${asked} ${pipe} && wait`)).toMatchObject({
      code: 0,
    });
    expect(readFileSync(taken, 'utf8')).toMatch(/^.*\n.*\n$/);
    expect(readdirSync(file('pipes'))).toEqual(['rows']);
  }

  itAtOnce(
    {
      'reaches slow readers, to the last byte': reachesSlowReaders,
      'reaches slow readers of standard error': reachesSlowReadersOfErrors,
      'ends quietly, with a separate code, for readers that leave': endsForReadersThatLeave,
      'waits for a stopped reader until a signal comes': isStoppedBySignals,
      ...(existsSync('/dev/full') && {
        'ends with 1, and names standard output, when it is full': failsOnFullDisks,
      }),
      'ends with 1 when standard output accepts only a part': failsOnAlmostFullDisks,
      'goes into a pipe unchanged': writesPipes,
      'leaves no part of a file under its name': leavesNoPartUnderItsName,
    },
    PATIENCE_MS,
  );
});

const MAKE_ROOM = 'Free some disk space, or write to another place.\n';

/** Removes the time at which a report was computed. */
function withoutTime(text: string): string {
  return text.replaceAll(/^ *"computedAt".*$/gm, '');
}
