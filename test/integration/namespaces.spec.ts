import type { DataSource } from 'typeorm';
import { inTransaction } from '../../src/platform/sql.js';
import { NAMED_NAMESPACES } from '../../src/projections/record/memory.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { emptyTables } from '../support/empty-tables.js';
import { takeEvents } from '../support/read-models.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { HEADER_NAMESPACE } from '../support/record-log.js';
import { dumpStatistics, ROLL_UP_TABLES } from '../support/roll-up-world.js';
import { SmallLog } from '../support/small-log.js';
import { CONTENT, contentTables } from '../support/table-content.js';
import { useDatabase } from '../support/use-database.js';

const POLLS = 12;
const ROWS = 20;

/** A namespace that no other number has. */
function madeUp(n: number): string {
  return n.toString(16).padStart(58, '0');
}

/** Two nodes of a chain: `good` posts to the chain's namespaces, `bad` to a new one each time, and now and then to the chain's. */
function makeLog(): SmallLog {
  const log = new SmallLog();
  log.register('good', 'c1').describe('good', 'c1').register('bad', 'c1').describe('bad', 'c1');
  for (let poll = 0; poll < POLLS; poll += 1) {
    log.now = poll * 600_000 + 60_000;
    log.rows('good', [{ da: 100 + poll }, { da: 100 + poll, kind: 'data' }]);
    const rows = Array.from({ length: ROWS }, (_, n) => {
      const row = JSON.parse(log.rowText({ da: 1_000 + poll })) as Record<string, unknown>;
      return JSON.stringify({ ...row, namespace: madeUp(1 + poll * ROWS + n), num_blobs: 1 + n });
    });
    log.rows('bad', [...rows, { da: 2_000 + poll }]);
  }
  return log;
}

const TOLD = 2;
/** Namespaces of the bad node that have no row of their own, and as many attempts. */
const OTHERS = POLLS * ROWS + TOLD - NAMED_NAMESPACES;

describe('namespaces of a node', () => {
  const dataSource = useDatabase();
  const tables = new RecordProjection().tables;

  async function project(batchSize: number): Promise<Record<string, string[]>> {
    await emptyTables(dataSource, [...tables, ROLL_UP_TABLES]);
    const { events } = makeLog();
    for (let from = 0; from < events.length; from += batchSize) {
      await takeEvents(dataSource, new RecordProjection(), events.slice(from, from + batchSize));
      if (from % 3 === 0) await new RollUp(dataSource).run();
    }
    await new RollUp(dataSource).run();
    const content: Record<string, string[]> = { statistics: await dumpStatistics(dataSource) };
    for (const table of contentTables(tables)) {
      const rows = await dataSource.query<{ row: string }[]>(
        `SELECT ${CONTENT} AS row FROM ${table} t ORDER BY ${CONTENT} COLLATE "C"`,
      );
      content[table] = rows.map(({ row }) => row);
    }
    return content;
  }

  it('are the same for every way to cut the log, and for all events at once', async () => {
    const whole = await project(1_000);
    expect(whole['node_namespace']).toHaveLength(TOLD + NAMED_NAMESPACES + 1);
    for (const batchSize of [1, 7]) expect(await project(batchSize)).toEqual(whole);
    await inTransaction(dataSource, async (query) => {
      await new RollUp(dataSource).markAll(query);
      await query('DELETE FROM statistic');
      await query('DELETE FROM block_statistic');
    });
    await new RollUp(dataSource).run();
    expect(await dumpStatistics(dataSource)).toEqual(whole['statistics']);
  });

  it('are under one name beyond the first hundred, and nothing is missing from their sums', async () => {
    await project(1_000);
    const counted = await dataSource.query<Record<string, unknown>[]>(
      `SELECT coalesce(n.id, 'the chain') AS owner, count(DISTINCT namespace_key)::int AS namespaces, sum(attempts)::int AS attempts,
              sum(blob_count)::int AS blobs, (sum(attempts) FILTER (WHERE k.namespace = 'other'))::int AS others
         FROM statistic s LEFT JOIN node n USING (node_key) JOIN namespace k USING (namespace_key)
        WHERE grain = 2 GROUP BY 1 ORDER BY 1`,
    );
    const bad = {
      attempts: POLLS * (ROWS + 1),
      blobs: POLLS * ((ROWS * (ROWS + 1)) / 2 + 1),
      others: OTHERS,
    };
    expect(counted).toEqual([
      // The node named one of these namespaces, and posts nothing to it.
      { owner: 'bad', namespaces: NAMED_NAMESPACES, ...bad },
      { owner: 'good', namespaces: 2, attempts: 2 * POLLS, blobs: 2 * POLLS, others: null },
      {
        owner: 'the chain',
        namespaces: NAMED_NAMESPACES + 1,
        ...bad,
        attempts: bad.attempts + 2 * POLLS,
        blobs: bad.blobs + 2 * POLLS,
      },
    ]);
    // The first hundred are those that came first.
    const [named] = await dataSource.query<{ last: string }[]>(
      `SELECT max(k.namespace) AS last FROM statistic s JOIN namespace k USING (namespace_key) WHERE k.namespace < '${HEADER_NAMESPACE}' AND k.namespace LIKE '00%'`,
    );
    expect(named?.last).toBe(madeUp(NAMED_NAMESPACES - TOLD));
  });
});

describe('reports of a node with very many namespaces', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let dataSource: DataSource;
  const time = 'bucket: DAY, timeZone: "UTC"';

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url);
    dataSource = api.dataSource;
    await appendLog(dataSource, makeLog().events);
    await new RollUp(dataSource).run();
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  type Rows = { namespace: string | null; attempts: string; otherNamespaces: boolean; node: string | null }[];
  const read = async (args: string): Promise<Rows> =>
    (
      await api.read<{ rows: Rows }>(
        `{ rows: statistics(${time}, ${args}) { node namespace attempts otherNamespaces } }`,
      )
    ).rows;

  it('combine the others under one name, by which they can be requested', async () => {
    const rows = await read('groupBy: [NAMESPACE], filter: {chains: ["c1"]}');
    expect(rows).toHaveLength(NAMED_NAMESPACES + 1);
    const row = { node: null, namespace: 'other', attempts: String(OTHERS), otherNamespaces: true };
    expect(rows.at(-1)).toEqual(row);
    expect(await read('groupBy: [NAMESPACE], filter: {namespaces: ["other"]}')).toEqual([row]);
    // The past follows the same rule, from the rows themselves.
    const known = await read(
      'groupBy: [NAMESPACE], filter: {namespaces: ["other"]}, knownAt: "2100-01-01T00:00:00Z"',
    );
    expect(known).toEqual([row]);
  });

  it('report that a filter for one of the others finds nothing', async () => {
    const last = madeUp(POLLS * ROWS);
    expect(await read(`filter: {namespaces: ["${last}"]}, groupBy: [NODE]`)).toEqual([
      { node: 'bad', namespace: null, attempts: '0', otherNamespaces: true },
      { node: 'good', namespace: null, attempts: '0', otherNamespaces: false },
    ]);
    const bounded = 'from: "2026-11-21T00:00:00Z", to: "2026-11-22T00:00:00Z"';
    expect(await read(`filter: {namespaces: ["${last}"]}, ${bounded}`)).toEqual([
      { node: null, namespace: null, attempts: '0', otherNamespaces: true },
    ]);
    const byNode = await read(`groupBy: [NODE], filter: {namespaces: ["${HEADER_NAMESPACE}"]}`);
    expect(byNode.map(({ node, attempts, otherNamespaces }) => [node, attempts, otherNamespaces])).toEqual([
      ['bad', String(POLLS), true],
      ['good', String(POLLS), false],
    ]);
    const { submissions } = await api.read<{ submissions: { nodes: unknown[] } }>(
      `{ submissions(filter: {namespaces: ["${last}"]}) { nodes { namespace } } }`,
    );
    expect(submissions.nodes).toEqual([{ namespace: last }]);
  });

  it('do the same for costs, in files, and in SQL', async () => {
    const { rows } = await api.read<{ rows: unknown[] }>(
      `{ rows: costReport(${time}, groupBy: [NAMESPACE], filter: {namespaces: ["other"]}) { namespace submissions otherNamespaces } }`,
    );
    expect(rows).toEqual([{ namespace: 'other', submissions: String(OTHERS), otherNamespaces: true }]);
    const file = await fetch(
      `${api.url}/export/statistics.ndjson?bucket=DAY&groupBy=NAMESPACE&namespaces=other`,
    );
    expect(JSON.parse((await file.text()).trim())).toMatchObject({
      namespace: 'other',
      other_namespaces: true,
    });
    const [view] = await dataSource.query<unknown[]>(
      "SELECT sum(attempts)::text AS attempts FROM reporting.statistics_daily WHERE namespace = 'other'",
    );
    expect(view).toEqual({ attempts: String(OTHERS) });
  });

  it('are the same after a rebuild', async () => {
    const live = await dumpStatistics(dataSource);
    expect(live.some((row) => row.startsWith('statistic '))).toBe(true);
    await rebuildNow(dataSource, readModelSet('record'));
    expect(await dumpStatistics(dataSource)).toEqual(live);
  });
});
