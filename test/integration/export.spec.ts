import { parse } from 'csv-parse/sync';
import { EXPORT_NAMES } from '../../src/api/export/exports.js';
import { openExports } from '../../src/api/export/open-exports.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { readParquet, readParquetTypes } from '../support/duckdb.js';
import { ManualClock } from '../support/manual-clock.js';
import { sendRaw } from '../support/raw-http.js';
import {
  blockRow,
  hashOf,
  healthRow,
  insertRows,
  coverageFoldRow,
  coverageRow,
  lossRow,
  turnRow,
  nameChains,
  nodeRow,
  noteAllRead,
  submissionRow,
} from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

type Row = Record<string, unknown>;

const NASTY = [
  '=1+1',
  '+1',
  '-1',
  '@a',
  '\tx',
  '\rx',
  '＝1',
  'say "hi", you\r\nthere',
  '',
  'é漢字🦊',
  'it\'s;\t"=1|-1, -1',
  'a\\b',
  '\n=1+1',
  ' =1+1',
  '\u00a0\u3000@a',
  ' a=1',
];
const clock = new ManualClock(Date.UTC(2026, 11, 1));

describe('files', () => {
  const api = useApi({ clock });

  const get = (path: string): Promise<Response> => fetch(`${api.url}/export/${path}`);
  /** The path that continues behind an invented place, with an otherwise valid cursor from its own first page. */
  const behindPlace = async (path: string, ...place: string[]): Promise<string> => {
    const cursor = (await get(`${path}limit=1`)).headers.get('x-hindsight-next-cursor') ?? '';
    const [list] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
    const forged = Buffer.from(JSON.stringify([list, ...place])).toString('base64url');
    return `${path}cursor=${forged}`;
  };
  const read = async (path: string): Promise<string> => {
    const response = await get(path);
    const body = await response.text();
    if (response.status !== 200) throw new Error(body);
    return body;
  };
  const lines = async (path: string): Promise<Row[]> =>
    (await read(path))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  /** The rows of a file, page by page, with something happening between the pages. */
  const walk = async (path: string, limit: number, between?: () => Promise<unknown>): Promise<Row[]> => {
    const walked: Row[] = [];
    let cursor: string | null = null;
    do {
      const response = await get(`${path}limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
      for (const line of (await response.text()).split('\n').filter(Boolean))
        walked.push(JSON.parse(line) as Row);
      cursor = response.headers.get('x-hindsight-next-cursor');
      await between?.();
    } while (cursor !== null);
    return walked;
  };
  const cells = async (path: string): Promise<Row[]> => parse(await read(path), { columns: true });
  const parquet = async (path: string): Promise<Row[]> => {
    const response = await get(path);
    return readParquet(Buffer.from(await response.arrayBuffer()));
  };
  const faultOf = async (path: string): Promise<[number, string, string]> => {
    const response = await get(path);
    const { errors } = (await response.json()) as {
      errors: { message: string; extensions: { code: string } }[];
    };
    return [response.status, errors[0]?.extensions.code ?? '', errors[0]?.message ?? ''];
  };

  beforeAll(async () => {
    const { dataSource } = api;
    await insertRows(dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'odd~chain%', n: 3, from_position: 1 },
    ]);
    await insertRows(dataSource, 'namespace', [{ namespace_key: 1, namespace: '0'.repeat(56) + 'ab' }]);
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'alpha', { chain_id: 'lab-1', lineage_key: 1 }),
      nodeRow(2, '=beta', { chain_id: 'late-1' }),
    ]);
    await nameChains(dataSource);
    await insertRows(dataSource, 'submission', [
      ...NASTY.map((message, index) =>
        submissionRow(index + 1, { message, namespace_key: 1, status: index % 11 }),
      ),
      submissionRow(100, { gas_price: '0.002500', da_height: '9007199254740993123', occurred_at: null }),
      submissionRow(101, { node_key: 2, kind: 3, lineage_key: null, da_height: null }),
      submissionRow(null, {
        node_key: null,
        lineage_key: 2,
        kind: 1,
        evidence: 4,
        da_height: 7,
        from_position: 102,
      }),
      submissionRow(null, {
        node_key: null,
        lineage_key: 2,
        kind: 0,
        evidence: 4,
        da_height: 7,
        from_position: 102,
      }),
      submissionRow(null, {
        node_key: null,
        lineage_key: 2,
        from_position: 103,
        da_height: 9,
        to_position: 104,
      }),
      submissionRow(null, {
        node_key: null,
        lineage_key: 2,
        evidence: 5,
        da_height: 9,
        possible: 2,
        from_position: 104,
      }),
    ]);
    await insertRows(dataSource, 'proposer', [
      {
        proposer_key: 1,
        proposer_address: '\\xaa',
        validator_hash: '\\xbb',
        version_block: 1,
        version_app: 1,
      },
    ]);
    await insertRows(dataSource, 'block', [
      ...Array.from({ length: 5 }, (_, index) => blockRow(index + 1)),
      blockRow(3, {
        node_key: 2,
        header_da_height: 5,
        data_da_height: 5,
        last_header_hash: hashOf(77),
        checks: 2,
      }),
    ]);
    await insertRows(dataSource, 'loss', [
      lossRow(20),
      lossRow(30, { kind: 'RESET', max_lost: 4, from_at: null }),
    ]);
    // A list that is out of sight.
    await insertRows(dataSource, 'coverage_interval', [
      coverageRow('alpha', 0, ['2026-11-20T00:00:00Z', '2026-11-20T01:00:00Z'], { unstated: true }),
    ]);
    await insertRows(dataSource, 'coverage_fold', [coverageFoldRow('alpha', '2026-11-20T02:00:00Z')]);
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', 'HEALTHY'),
      healthRow('DA', '2026-11-21T00:00:00Z', null, 'WARNING', { reason: '=late' }),
    ]);
    await dataSource.query(`UPDATE node SET last_seen_at = '2026-11-22T00:00:00Z' WHERE id = 'alpha'`);
    await new EventStore(dataSource).append({
      stream: 'alpha/node',
      expectedVersion: 0n,
      events: [{ type: 'NodeRetired', observedAt: 5.25, body: {} }],
      state: { some: 'state' },
    });
    await noteAllRead(dataSource);
  });

  it('declare their type', async () => {
    const types: unknown[] = [];
    for (const ending of ['csv', 'ndjson', 'parquet']) {
      const { headers } = await get(`blocks.${ending}`);
      types.push([headers.get('content-type'), headers.get('content-disposition')]);
    }
    expect(types).toEqual([
      ['text/csv; charset=utf-8; header=present', 'attachment; filename="blocks.csv"'],
      ['application/x-ndjson; charset=utf-8', 'attachment; filename="blocks.ndjson"'],
      ['application/vnd.apache.parquet', 'attachment; filename="blocks.parquet"'],
    ]);
  });

  it('have the submissions that GraphQL lists, in its order, with its values', async () => {
    const { submissions } = await api.read<{ submissions: { nodes: Row[] } }>(
      `{ submissions(order: OBSERVED_ASC) { nodes {
          id chain node { id } sequence ring status statusText message namespace kind daHeight blobCount sizeBytes gasPrice
          occurredAt observedAt evidence updatedAt withdrawn time possibleAttempts countsForChain } } }`,
    );
    const shown = (await lines('submissions.ndjson')).map((row) => ({
      ...row,
      da_height: row['da_height'] === null ? null : BigInt(row['da_height'] as number),
    }));
    expect(shown).toHaveLength(21);
    expect(shown.at(-1)).toMatchObject({ evidence: 'UNDECIDED', possible_attempts: 2 });
    expect(shown).toEqual(
      submissions.nodes.map((row) => ({
        id: row['id'],
        chain: row['chain'],
        node: (row['node'] as Row | null)?.['id'] ?? null,
        sequence: row['sequence'] === null ? null : Number(row['sequence']),
        ring: row['ring'],
        status: row['status'],
        status_text: row['statusText'],
        message: row['message'],
        namespace: row['namespace'],
        kind: row['kind'],
        // JSON.parse rounds what the file has exactly.
        da_height: row['daHeight'] === null ? null : BigInt(Number(row['daHeight'])),
        blob_count: row['blobCount'],
        size_bytes: Number(row['sizeBytes']),
        gas_price_utia: row['gasPrice'] === null ? null : Number(row['gasPrice']),
        occurred_at: row['occurredAt'],
        observed_at: row['observedAt'],
        evidence: row['evidence'],
        block_from: null,
        block_to: null,
        updated_at: row['updatedAt'],
        withdrawn: row['withdrawn'],
        time: row['time'],
        possible_attempts: row['possibleAttempts'],
        counts_for_chain: row['countsForChain'],
      })),
    );
    expect(await read('submissions.ndjson')).toContain('"da_height":9007199254740993123,');
  });

  it('bring texts through CSV unchanged, except for an apostrophe where a spreadsheet would compute', async () => {
    const rows = await cells('submissions.csv?nodes=alpha&limit=16');
    expect(rows.map((row) => row['message'])).toEqual(
      NASTY.map((message) =>
        message
          .replaceAll(/([;|\t\r\n](?:"|[^\S\t\r\n])*)(?=[=+\-@＝])/g, "$1'")
          .replace(/^(?=[^\S\t\r\n]*[=+\-@\t\r\n＝])/, "'"),
      ),
    );
    const [row] = await cells('submissions.csv?nodes=%3Dbeta&columns=id,node,time');
    expect(row).toEqual({
      id: "'=beta~101",
      node: "'=beta",
      time: expect.stringContaining('2026-11-21T') as unknown,
    });
  });

  it('distinguish an empty text from a missing text, no matter whether the server or Hindsight writes them', async () => {
    const [, none] = (await read('submissions.csv?daHeightFrom=9007199254740993123')).split('\n');
    expect(none).toMatch(/,SUCCESS,,,,HEADER,9007199254740993123,2,350,0\.002500,,2026-11-21T/);
    const health = await read('health.csv');
    expect(health.split('\n').slice(0, 2)).toEqual([
      'node,chain,component,time,from,to,state,rule,reason,claim,claim_differs,setting,limit',
      expect.stringMatching(
        /^alpha,lab-1,DA,(2026-11-20T00:00:00.000000Z),\1,2026-11-21T00:00:00.000000Z,HEALTHY,/,
      ),
    ]);
  });

  it('have blocks with all that is known about them', async () => {
    const [first, second, , , , other] = await lines('blocks.ndjson');
    expect(first).toMatchObject({
      node: 'alpha',
      lineage: 'lab-1/1',
      height: 1,
      hash: hashOf(1).slice(2),
      last_header_hash: null,
      app_hash: '0a0b',
      proposer_address: 'aa',
      checks_link: 'PASSED',
    });
    expect((await read('blocks.ndjson')).split('\n')[0]).toContain('"time_ns":1795230001000000001,');
    expect(second).toMatchObject({ last_header_hash: hashOf(1).slice(2), header_da_height: null });
    expect(other).toMatchObject({
      node: '=beta',
      last_header_hash: hashOf(77).slice(2),
      checks_link: 'FAILED',
    });
    expect(await lines('blocks.ndjson?included=true')).toHaveLength(1);
    expect(
      await lines('blocks.ndjson?heightFrom=2&heightTo=3&chains=lab-1&nodes=alpha,%3Dbeta'),
    ).toHaveLength(3);
  });

  it('have losses and health as GraphQL reports them, including unmonitored time', async () => {
    const { losses, healthHistory } = await api.read<{ losses: { nodes: Row[] }; healthHistory: Row[] }>(
      `{ losses(first: 9) { nodes { id explanation maxLost open } }
         healthHistory(node: "alpha") { state rule reason setting limit from to } }`,
    );
    const shown = await lines('losses.ndjson');
    expect(shown.map(({ id, explanation, max_lost: maxLost }) => [id, explanation, maxLost])).toEqual(
      losses.nodes
        .toReversed()
        .map((loss) => [
          loss['id'],
          loss['explanation'],
          loss['maxLost'] === null ? null : Number(loss['maxLost']),
        ]),
    );
    expect(shown.map((row) => row['open'])).toEqual([false, false, true]);
    expect(losses.nodes.map((loss) => loss['open'])).toEqual([true, false, false]);
    const health = await lines('health.ndjson?nodes=alpha&component=DA');
    const verdictOf = (row: Row) => ['state', 'rule', 'reason', 'setting', 'limit'].map((name) => row[name]);
    expect(health.map(verdictOf)).toEqual(healthHistory.map(verdictOf));
    expect(health.at(-1)).toMatchObject({ state: 'UNKNOWN', to: null });
    expect(health.map((row) => row['time'])).toEqual(health.map((row) => row['from']));
    expect(shown.map((row) => row['time'])).toEqual(shown.map((row) => row['to']));
    expect((await cells('health.csv')).map((row) => row['reason'])).toContain("'=late");
  });

  it('have the log as it is stored, with the state at the end of each stream', async () => {
    const [event] = await lines('events.ndjson');
    expect(event).toMatchObject({
      position: 1,
      stream: 'alpha/node',
      version: 1,
      schema: 1,
      observed_at: '1970-01-01T00:00:00.005250Z',
      body: '{}',
      state: '{"some":"state"}',
    });
    expect(await lines('events.ndjson?types=NodeRegistered')).toEqual([]);
    for (const owner of ['nodes=alpha', 'chains=lab-1'])
      expect(await lines(`events.ndjson?${owner}`)).toEqual([event]);
  });

  it('have the figures of both reports', async () => {
    const range = 'bucket=DAY&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z';
    const statistics = await cells(`statistics.csv?${range}`);
    // Days in Berlin begin on the previous day in UTC.
    const berlin = 'timeZone=Europe/Berlin&from=2026-11-19T23:00:00Z&to=2026-11-20T23:00:00Z';
    for (const name of ['statistics', 'costs']) {
      const time = '2026-11-19T23:00:00.000000Z';
      expect(await lines(`${name}.ndjson?bucket=DAY&${berlin}`)).toMatchObject([
        { time, day: '2026-11-20', month: '2026-11-01' },
      ]);
      expect(await lines(`${name}.ndjson?bucket=HOUR&${berlin}`)).toContainEqual(
        expect.objectContaining({ time, day: null, month: null }),
      );
    }
    expect(statistics.map((row) => [row['time'], row['attempts'], row['inclusion_lag_ms_p50']])).toEqual([
      ['2026-11-20T00:00:00.000000Z', '0', ''],
      ['2026-11-21T00:00:00.000000Z', '', ''],
      ['2026-11-22T00:00:00.000000Z', '', ''],
    ]);
    const costs = await lines(`costs.ndjson?${range}&groupBy=CHAIN`);
    expect(Object.keys(costs[0] ?? {})).toEqual(expect.arrayContaining(['fee_min_utia', 'fiat_unit']));
    expect(await faultOf('costs.csv')).toEqual([
      400,
      'BAD_USER_INPUT',
      'Give `bucket`: QUARTER_HOUR, HOUR, DAY, WEEK, MONTH, QUARTER, YEAR.',
    ]);
  });

  it('continue by a cursor until nothing is left, also for rows that Hindsight writes itself', async () => {
    for (const [name, query] of [
      ['submissions', ''],
      ['blocks', ''],
      ['losses', ''],
      ['health', ''],
      ['incidents', ''],
      ['events', ''],
      ['statistics', '&bucket=DAY&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z&groupBy=NODE'],
    ] as const) {
      const whole = await lines(`${name}.ndjson?${query}`);
      const walked = await walk(`${name}.ndjson?${query}&`, 1);
      // An interval that is not monitored to its end comes with the interval that follows it.
      expect([name, walked]).toEqual([name, whole]);
    }
  });

  it('get an estimate of their rows from one plan, and reports get no estimate', async () => {
    const asked: string[] = [];
    class CountedReads extends ReadDatabase {
      override query<Rows>(sql: string, parameters?: unknown[]): Promise<Rows> {
        asked.push(sql);
        return super.query<Rows>(sql, parameters);
      }
    }
    const { url } = api.dataSource.options as { readonly url: string };
    const reads = new CountedReads({ url, isReplica: false, poolSize: 1 });
    try {
      const exports = await openExports(reads, clock);
      expect(await exports.estimateRows({ name: 'submissions', given: { limit: '2' } })).toBeLessThanOrEqual(
        2,
      );
      expect(await exports.estimateRows({ name: 'costs', given: { bucket: 'DAY' } })).toBeUndefined();
      expect(asked).toEqual([expect.stringContaining('EXPLAIN')]);
    } finally {
      await reads.close();
    }
  });

  it('end at an invented cursor of a report, too', async () => {
    const days = 'bucket=DAY&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z';
    const behind = async (time: bigint): Promise<number> =>
      (await lines(await behindPlace(`statistics.ndjson?${days}&`, String(time), '', '', '', '', ''))).length;
    expect(await behind(-9n)).toBe(3);
    expect(await behind(2n ** 63n - 1n)).toBe(0);
  });

  it('lose and duplicate nothing while rows come in', async () => {
    const before = (await lines('submissions.ndjson')).map((row) => row['id']);
    let added = 0;
    const walked = await walk('submissions.ndjson?', 3, async () => {
      if (added < 5) await insertRows(api.dataSource, 'submission', [submissionRow(200 + added++)]);
    });
    expect(walked.map((row) => row['id'])).toEqual([
      ...before,
      ...Array.from({ length: 5 }, (_, index) => `alpha~${200 + index}`),
    ]);
    await api.dataSource.query('DELETE FROM submission WHERE sequence >= 200');
  });

  it('lose and duplicate no row of a report while groups come in', async () => {
    const path = `statistics.ndjson?bucket=DAY&groupBy=NODE&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z&`;
    const place = ({ time, node }: Row): string => `${String(time)} ${String(node)}`;
    const before = (await lines(path)).map(place);
    // One sorts before the existing groups, and one after them.
    const coming = ['0', 'zeta'];
    const walked = await walk(path, 1, async () => {
      const id = coming.pop();
      if (id !== undefined) await insertRows(api.dataSource, 'node', [nodeRow(8 + coming.length, id)]);
    });
    const whole = (await lines(path)).map(place);
    expect(whole).toHaveLength(before.length * 2);
    // The first day had begun when the groups came.
    expect(walked.map(place)).toEqual(whole.filter((row) => row !== whole[0]));
    await api.dataSource.query('DELETE FROM node WHERE node_key >= 8');
  });

  it('are typed in Parquet', async () => {
    const rows = await parquet('submissions.parquet');
    expect(rows.map((row) => row['id'])).toEqual((await lines('submissions.ndjson')).map((row) => row['id']));
    expect(rows.map((row) => row['message'])).toEqual([...NASTY, null, null, null, null, null]);
    expect(rows[16]).toMatchObject({
      da_height: 9007199254740993123n,
      gas_price_utia: '0.002500000000000000',
      observed_at: '2026-11-21 03:00:40.123456+00',
      occurred_at: null,
    });
    expect(rows[17]).toMatchObject({ node: '=beta', chain: 'late-1' });
    const health = await parquet('health.parquet');
    expect(health.map((row) => row['claim_differs'])).toEqual([null, null, null]);
    const days = 'bucket=DAY&timeZone=Europe/Berlin&from=2026-11-19T23:00:00Z&to=2026-11-20T23:00:00Z';
    for (const name of ['statistics', 'costs']) {
      const file = Buffer.from(await (await get(`${name}.parquet?${days}`)).arrayBuffer());
      expect(await readParquetTypes(file)).toMatchObject({ day: 'DATE', month: 'DATE', coverage: 'DOUBLE' });
      expect(await readParquet(file)).toMatchObject([{ day: '2026-11-20', month: '2026-11-01' }]);
      expect(await parquet(`${name}.parquet?bucket=HOUR&limit=1`)).toMatchObject([
        { day: null, month: null },
      ]);
    }
    expect(await parquet('losses.parquet?kinds=OVERFLOW')).toHaveLength(1);
    expect(await parquet('blocks.parquet?from=2030-01-01T00:00:00Z')).toEqual([]);
  });

  it.each([
    ['submission.csv', 404, 'NOT_FOUND', 'There is no export "submission"; did you mean `submissions`?'],
    ['blocks.xml', 404, 'NOT_FOUND', 'There are no ".xml" files; there are csv, ndjson, parquet.'],
    ['blocks', 404, 'NOT_FOUND', 'There are no "." files; there are csv, ndjson, parquet.'],
    ['blocks.csv?node=a', 400, 'BAD_USER_INPUT', 'There is no parameter "node" here; did you mean `nodes`?'],
    ['blocks.csv?constructor=a', 400, 'BAD_USER_INPUT', /^There is no parameter "constructor" here/],
    ['blocks.csv?__proto__=a', 400, 'BAD_USER_INPUT', /^There is no parameter "__proto__" here/],
    [
      'blocks.csv?limit=0',
      400,
      'BAD_USER_INPUT',
      '`limit` must be a number of rows from 1 to 1000000, not "0".',
    ],
    ['blocks.csv?limit=1&limit=2', 400, 'BAD_USER_INPUT', '`limit` is given more than once.'],
    [
      'blocks.csv?cursor=abc',
      400,
      'BAD_USER_INPUT',
      '`cursor` is not a cursor of this file: a cursor is valid only for the parameters of its own query.',
    ],
    ['blocks.csv?from=yesterday', 400, 'BAD_USER_INPUT', /^`from`: "yesterday" is not an ISO 8601 time/],
    ['blocks.csv?included=1', 400, 'BAD_USER_INPUT', '`included` must be true or false, not "1".'],
    [
      'blocks.csv?nodes=%00',
      400,
      'BAD_USER_INPUT',
      'A text contains U+0000, which no recorded text contains.',
    ],
    ['losses.csv?kinds=LOST', 400, 'BAD_USER_INPUT', /^`kinds` must be one of OVERFLOW, RESET/],
    [
      'statistics.csv?bucket=DAY&timeZone=Mars',
      400,
      'BAD_USER_INPUT',
      /^"Mars" is not a time zone; give an IANA name/,
    ],
  ])('report the error in %s', async (path, status, code, message) => {
    expect(await faultOf(path)).toEqual([
      status,
      code,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
  });

  it('say whether everything that the figures come from is decided', async () => {
    const hour = 'bucket=HOUR&from=2026-11-21T00:00:00Z&to=2026-11-21T01:00:00Z&groupBy=CHAIN';
    const decided = async (name: string): Promise<unknown[]> =>
      (await lines(`${name}.ndjson?${hour}`)).map((row) => [row['chain'], row['decided']]);
    const all = await decided('statistics');
    expect(all).toContainEqual(['lab-1', true]);
    expect(all).not.toContainEqual([expect.anything(), false]);
    await insertRows(api.dataSource, 'decision_turn', [turnRow(1, 'lab-1')]);
    try {
      for (const name of ['statistics', 'costs']) {
        expect(await decided(name)).toContainEqual(['lab-1', false]);
        expect(await decided(name)).toContainEqual(['late-1', true]);
      }
    } finally {
      await api.dataSource.query('DELETE FROM decision_turn');
    }
  });

  it.each([
    ['columns=', '`columns` is empty.'],
    ['columns=id,blocs', '`columns` has no column "blocs"; did you mean `blocks`?'],
  ])('report the error in submissions.csv?%s', async (query, message) => {
    expect(await faultOf(`submissions.csv?${query}`)).toEqual([400, 'BAD_USER_INPUT', message]);
  });

  it.each([
    ['submissions.ndjson?', 'submissions.ndjson?nodes=alpha&'],
    ['submissions.ndjson?kinds=HEADER&', 'submissions.ndjson?kinds=DATA&'],
    ['submissions.ndjson?', 'submissions.ndjson?updatedSince=2020-01-01T00:00:00Z&'],
    ['blocks.ndjson?', 'submissions.ndjson?'],
    [
      'statistics.ndjson?bucket=DAY&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z&',
      'costs.ndjson?bucket=DAY&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z&',
    ],
    [
      'statistics.ndjson?bucket=DAY&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z&',
      'statistics.ndjson?bucket=HOUR&from=2026-11-20T00:00:00Z&to=2026-11-23T00:00:00Z&',
    ],
  ])('refuse a cursor of %s for %s', async (path, other) => {
    const cursor = (await get(`${path}limit=1`)).headers.get('x-hindsight-next-cursor');
    expect(cursor).not.toBeNull();
    expect(await faultOf(`${other}cursor=${cursor}`)).toEqual([
      400,
      'BAD_USER_INPUT',
      expect.stringMatching(/^`cursor` is not a cursor of this file/) as unknown,
    ]);
    expect((await get(`${path}cursor=${cursor}`)).status).toBe(200);
  });

  it.each(['statuses', 'kinds', 'evidence', 'nodes', 'chains', 'namespaces'])(
    'have no submission for an empty list of %s, now and in the past',
    async (list) => {
      for (const then of ['', '&knownAt=1970-01-01T00:00:00Z', '&knownAt=2026-11-30T00:00:00Z']) {
        for (const from of ['', '&from=1970-01-01T00:00:00Z']) {
          expect(await lines(`submissions.ndjson?${list}=${from}${then}`)).toEqual([]);
          expect(await parquet(`submissions.parquet?${list}=${from}${then}`)).toEqual([]);
        }
      }
    },
  );

  it('treat no part of a request as SQL', async () => {
    const nasty = encodeURIComponent(`'; DROP TABLE submission; -- \\' "`);
    expect(await lines(`submissions.ndjson?message=${nasty}`)).toEqual([]);
    for (const names of ['nodes', 'chains']) {
      const answer = await get(`submissions.ndjson?${names}=${nasty}`);
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('DROP TABLE')]);
    }
    const forged = await behindPlace('health.ndjson?', "z'b\\", 'DA', '2026-11-20T00:00:00Z');
    expect(await lines(forged)).toEqual([]);
    expect(await lines('submissions.ndjson')).toHaveLength(21);
  });

  it.each(EXPORT_NAMES)('refuse %s of an unknown node or chain, and name a similar name', async (name) => {
    const period = name === 'statistics' || name === 'costs' ? '&bucket=DAY' : '';
    const ask = async (names: string): Promise<[number, string]> => {
      const answer = await get(`${name}.csv?${names}${period}`);
      return [answer.status, await answer.text()];
    };
    expect(await ask('nodes=alpha,alpa')).toEqual([
      404,
      expect.stringContaining('There is no node \\"alpa\\". Did you mean alpha?'),
    ]);
    // An account pays for nodes, of any chain.
    if (name === 'balances') return;
    expect(await ask('chains=lab-2')).toEqual([
      404,
      expect.stringContaining('There is no chain \\"lab-2\\". Did you mean lab-1?'),
    ]);
    await api.dataSource.query(
      `INSERT INTO chain_setting (chain, reporting_time_zone, from_position) VALUES ('quiet-1', 'UTC', 1) ON CONFLICT DO NOTHING`,
    );
    const [status, text] = await ask('chains=quiet-1');
    expect([status, text.trim().split('\n').length]).toEqual([200, 1]);
    await api.dataSource.query(`DELETE FROM chain_setting WHERE chain = 'quiet-1'`);
  });

  it('answer a HEAD like a GET, without writing anything or giving a length', async () => {
    const written: string[] = [];
    const reads = api.app.get(ReadDatabase, { strict: false });
    const copyOut = reads.copyOut.bind(reads);
    reads.copyOut = (sql) => {
      written.push(sql);
      return copyOut(sql);
    };
    const files = [
      'events.csv',
      'submissions.parquet?limit=3',
      'submissions.ndjson?columns=id,raw',
      'health.csv',
      'incidents.csv',
      'costs.ndjson?bucket=DAY',
    ];
    const wrong = [
      'nothing.csv',
      'events.xlsx',
      'events',
      'events.csv?nodez=a',
      'blocks.csv?from=yesterday',
      'blocks.csv?cursor=none',
      'blocks.csv?limit=0',
      'losses.csv?updatedSince=2026-11-20T00:00:00Z&knownAt=2026-11-20T00:00:00Z',
      'statistics.csv',
      'costs.csv?bucket=NEVER',
    ];
    try {
      for (const path of [...files, ...wrong]) {
        const head = await fetch(`${api.url}/export/${path}`, { method: 'HEAD' });
        expect([path, written, await head.text()]).toEqual([path, [], '']);
        const get = await fetch(`${api.url}/export/${path}`);
        await get.body?.cancel();
        const told = ({ status, headers }: Response): unknown[] => [
          path,
          status,
          ...['content-type', 'content-disposition'].map((name) => headers.get(name)),
        ];
        expect(told(head)).toEqual(told(get));
        const length = head.status === 200 ? null : get.headers.get('content-length');
        expect([path, head.headers.get('content-length')]).toEqual([path, length]);
        expect(head.status === 200).toBe(files.includes(path));
        written.length = 0;
      }
    } finally {
      reads.copyOut = copyOut;
    }
  });

  it('cannot be embedded as pictures in another page', async () => {
    const picture = await sendRaw(
      Number(new URL(api.url).port),
      'GET /export/events.csv HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\n\r\n',
    );
    expect(picture.status).toBe(403);
  });
});
