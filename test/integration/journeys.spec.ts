import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { readPostMortem } from '../../src/api/post-mortem/post-mortem-data.js';
import { toPostMortemMarkdown } from '../../src/api/post-mortem/post-mortem-markdown.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { appendYear, generateYear } from '../support/generated-year/year-log.js';
import { DAY, YEAR_END } from '../support/generated-year/year-plan.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { ManualClock } from '../support/manual-clock.js';
import { blocksOf, textsOf } from '../support/page-blocks.js';
import { runDuckDb, runPython, runShell } from '../support/page-commands.js';
import { hasProgram, hasPython, itHasProgram, itHasPython } from '../support/programs.js';
import { projectAll } from '../support/read-models.js';

/** A record that a page asks. */
class Record {
  private constructor(
    private readonly database: TestDatabase,
    readonly dataSource: DataSource,
    readonly api: ApiServer,
    /** Until when our clock ran, in Unix milliseconds. */
    readonly nowMs: number,
  ) {}

  /** @param live appends the log, and returns until when our clock ran, in Unix milliseconds */
  static async of(live: (store: EventStore) => Promise<number>): Promise<Record> {
    const database = await startTestDatabase();
    const dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    const now = await live(new EventStore(dataSource));
    await projectAll(dataSource);
    await new RollUp(dataSource).run();
    const api = await startApi(database.url, { clock: new ManualClock(now) });
    return new Record(database, dataSource, api, now);
  }

  async stop(): Promise<void> {
    await this.api.stop();
    await this.dataSource.destroy();
    await this.database.stop();
  }
}

/** The questions of a page, each with the answer below it, which may leave out what does not matter. */
function answersOf(page: string): { question: string; answer: object }[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'graphql') return [];
    const below = blocks[index + 1];
    if (below?.language !== 'json') throw new Error(`${page} does not say what is answered to ${text}`);
    return { question: text, answer: JSON.parse(below.text) as object };
  });
}

describe('docs/journey-forensics.md', () => {
  const PAGE = 'docs/journey-forensics.md';
  /** The moment that the page goes back to. */
  const THEN = '2026-11-21T05:47:50Z';
  let record: Record;

  beforeAll(async () => {
    record = await Record.of(async (store) => {
      const nodes = [{ id: 'alpha', file: 'aggregator' }] as const;
      const { startMs, lengthMs } = await liveThroughRecording(store, { nodes, seed: 11 });
      return startMs + lengthMs;
    });
  });

  afterAll(() => record?.stop());

  /** When the database had recorded all that was observed by a moment. The recording is lived through faster than it was made. */
  async function recordedBy(moment: string): Promise<string> {
    const [row] = await record.dataSource.query<{ at: string }[]>(
      `SELECT to_char(max(recorded_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM event
        WHERE position < (SELECT min(position) FROM event WHERE observed_at > $1)`,
      [moment],
    );
    return row?.at ?? '';
  }

  it('leads from the stopped finality to its cause', async () => {
    expect(readFileSync(PAGE, 'utf8')).toContain(`{"moment": "${THEN}"}`);
    const moment = await recordedBy(THEN);
    const answers = answersOf(PAGE);
    expect(answers.length).toBeGreaterThan(7);
    for (const { question, answer } of answers) {
      const variables = question.includes('$moment') ? { moment } : {};
      expect(await record.api.read(question, variables)).toMatchObject(answer);
    }
  });

  it('begins with one command, which tells all of it', async () => {
    const page = readFileSync(PAGE, 'utf8');
    const [, at = ''] = /incident alpha --at (\S+)/.exec(page) ?? [];
    const wish = { node: 'alpha', atUs: BigInt(Date.parse(at)) * 1_000n };
    const printed = toPostMortemMarkdown(
      await readPostMortem(record.dataSource, wish, BigInt(record.nowMs) * 1_000n),
    );
    const [shown = ''] = textsOf(PAGE, 'text');
    const lines = shown.split('\n').filter((line) => line !== '' && line !== '…');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !printed.includes(line))).toEqual([]);
    const [, id = ''] = /\/incident\/(Incident:[\w:.-]*\w)/.exec(page) ?? [];
    expect(await record.api.read(`{ incident(id: "${id}") { nodeId } }`)).toEqual({
      incident: { nodeId: 'alpha' },
    });
  });

  it('quotes what was answered', async () => {
    const page = readFileSync(PAGE, 'utf8').replaceAll(/\s+/g, ' ');
    const { healthHistory, costReport } = await record.api.read<{
      healthHistory: { reason: string }[];
      costReport: { submissions: string }[];
    }>(`{ healthHistory(node: "alpha", from: "2026-11-21T05:47:45Z", to: "2026-11-21T05:48:00Z") { reason }
          costReport(filter: { chains: ["lab-1"] }, bucket: HOUR) { submissions } }`);
    const [, quoted = 'none'] = /"(no block was included for [^"]+)"/.exec(page) ?? [];
    expect(healthHistory[0]?.reason).toContain(quoted);
    expect(page).toContain(`the hour has ${costReport[0]?.submissions} submissions`);
  });
});

describe('with a year of daily cost', () => {
  let record: Record;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-journey-'));
    record = await Record.of(async (store) => {
      await appendYear(store, generateYear(1).events);
      return YEAR_END + 30 * DAY;
    });
  }, 300_000);

  afterAll(async () => {
    await record?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('docs/journey-cost.md tells what a quarter cost, and half as many batches', async () => {
    const answers = answersOf('docs/journey-cost.md');
    expect(answers.length).toBeGreaterThan(3);
    for (const { question, answer } of answers) {
      expect(await record.api.read(question)).toMatchObject(answer);
    }
  });

  describe('docs/bi-tools.md', () => {
    itHasPython('gql');
    const programs = textsOf('docs/bi-tools.md', 'python');

    (hasPython('gql') ? it : it.skip).each(programs.map((program) => ({ program })))(
      'leads a Python client through a chain by introspection',
      async ({ program }) => {
        const printed = await runPython(program, { folder, url: record.api.url });
        const blocks = await record.dataSource.query<{ line: string }[]>(
          `SELECT n.id || ' ' || b.height AS line FROM block b JOIN node n ON n.node_key = b.node_key
             JOIN lineage l ON l.lineage_key = b.lineage_key
            WHERE l.chain_id = 'alpha-1'`,
        );
        expect(blocks.length).toBeGreaterThan(2_000);
        const lines = printed.trim().split('\n');
        const heights = lines.map((line) => Number(line.split(' ')[1]));
        expect(heights).toEqual(heights.toSorted((a, b) => a - b));
        expect(lines.map((line) => line.split(' ').slice(0, 2).join(' ')).sort()).toEqual(
          blocks.map(({ line }) => line).sort(),
        );
        expect(lines.every((line) => line.endsWith('Z'))).toBe(true);
      },
    );
  });

  describe('what the files of docs/journey-bi.md are made with', () => itHasProgram('curl'));

  (hasProgram('curl') ? describe : describe.skip)('docs/journey-bi.md', () => {
    const PAGE = 'docs/journey-bi.md';
    const place = () => ({ folder, url: record.api.url });
    const [download = ''] = textsOf(PAGE, 'sh');
    const [query = ''] = textsOf(PAGE, 'sql');
    const [byPandas = '', byPython = ''] = textsOf(PAGE, 'python');
    const shown = tableOf(textsOf(PAGE, 'csv')[0] ?? '').slice(1);

    beforeAll(() => runShell(download, place()));

    it('shows what GraphQL answers', async () => {
      const { costReport } = await record.api.read<{ costReport: CostRow[] }>(
        `{ costReport(filter: { chains: ["alpha-1"] }, bucket: MONTH, groupBy: [NAMESPACE], timeZone: "UTC",
             from: "2025-10-01T00:00:00Z", to: "2026-10-01T00:00:00Z") { time namespace submissions feeMin feeMax } }`,
      );
      const quarters = new Map<string, CostRow[]>();
      for (const row of costReport.filter(({ submissions }) => submissions !== '0')) {
        const quarter = `${row.time.slice(0, 4)}Q${Math.ceil(Number(row.time.slice(5, 7)) / 3)}`;
        const key = `${quarter} ${row.namespace.slice(-20)}`;
        quarters.set(key, [...(quarters.get(key) ?? []), row]);
      }
      const told = [...quarters.keys()].sort().map((key) => {
        const rows = quarters.get(key) ?? [];
        const highest = rows.map(({ feeMax }) => feeMax);
        const atMost = highest.includes(null) ? null : sum(highest.map(Number));
        return [...key.split(' '), sum(rows.map(({ feeMin }) => Number(feeMin))), atMost];
      });
      expect(shown.map((row) => row.slice(0, 4))).toEqual(told);
    });

    it('gives a table that a spreadsheet adds up to what it says', () => {
      const [header = [], ...rows] = parse(readFileSync(join(folder, 'costs.csv')));
      expect(rows.length).toBeGreaterThan(365);
      for (const row of rows) expect(row).toHaveLength(header.length);
      const column = (letter: string): number => letter.charCodeAt(0) - 'A'.charCodeAt(0);
      expect([header[column('D')], header[column('N')], header[column('O')]]).toEqual([
        'namespace',
        'fee_min_utia',
        'fee_max_utia',
      ]);
      const [sumOf = '', countOf = ''] = textsOf(PAGE, 'text');
      const [, key = '', namespace = '', summed = ''] =
        /SUMIF\((\w):\w, "(\w+)", (\w):\w\)/.exec(sumOf) ?? [];
      const chosen = rows.filter((row) => row[column(key)] === namespace);
      const tia = sum(chosen.map((row) => Number(row[column(summed)]))) / 1e6;
      const [, empty = ''] = /, (\w):\w, ""\)/.exec(countOf) ?? [];
      const unknown = chosen.filter((row) => row[column(empty)] === '').length;
      const page = readFileSync(PAGE, 'utf8');
      expect(page).toContain(`gives ${tia}.`);
      expect(page).toContain(`gives ${unknown}:`);
    });

    it('gives the table by DuckDB', async () => {
      expect((await runDuckDb(query, place())).map((row) => row.map(toCell))).toEqual(shown);
    });

    itHasProgram('python3');
    itHasPython('pandas');

    for (const [name, program, isThere] of [
      ['pandas', byPandas, hasPython('pandas')],
      ['Python alone', byPython, hasProgram('python3')],
    ] as const) {
      (isThere ? it : it.skip)(`gives the table by ${name}`, async () => {
        expect(tableOf(await runPython(program, place())).slice(1)).toEqual(shown);
      });
    }
  });
});

interface CostRow {
  readonly time: string;
  readonly namespace: string;
  readonly submissions: string;
  readonly feeMin: string;
  readonly feeMax: string | null;
}

function tableOf(text: string): (string | number | null)[][] {
  return parse(text.trim()).map((row) => row.map(toCell));
}

/** What stands in a cell, so that programs that print numbers differently can be compared: to a millionth. */
function toCell(text: string | null): string | number | null {
  if (text === null || text === '') return null;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(Number(text).toFixed(6)) : text;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
