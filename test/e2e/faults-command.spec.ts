import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { ClaimsProjection } from '../../src/projections/claims.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { startApi } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { appendRawBody } from '../support/poisoned-log.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome } from '../support/service-process.js';

describe('hindsight faults', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let home: ServiceHome;

  const run = (...args: string[]): Promise<CommandResult> => home.runHere(['faults', ...args], database.url);

  const poison = (stream: string) =>
    appendRawBody(dataSource, { stream, type: 'DaHealthClaimed', body: '{"status": 7}' });

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await home?.clear();
    await database?.stop();
  });

  it('says so when there are no dead letters, and lists its arguments', async () => {
    expect(await home.run(['faults'], { databaseUrl: database.url })).toEqual({
      code: 0,
      out: 'No dead letters: the read models took every event they have read, and no statistics failed.\n',
      error: '',
    });
    expect((await run('--help')).out).toContain('--page <N>');
    expect(await run('--page', '0')).toMatchObject({ code: 2, out: '' });
  });

  it('lists events, quarantined streams, and nodes and chains without statistics', async () => {
    await poison('bad/claims');
    for (let n = 0; n < 12; n++) await poison('worse\u009b2J/claims');
    const store = new EventStore(dataSource);
    await new ProjectionRunner(dataSource, store).catchUp(new ClaimsProjection(), await store.lastPosition());
    await insertRows(dataSource, 'node', [nodeRow(4, 'four')]);
    await dataSource.query(
      `INSERT INTO roll_up_fault VALUES (0, 'alpha-1', 'no decimal', '2026-03-01', '2026-03-02'),
                                        (4, '', 'a \u001b[31mred error', '2026-03-03', '2026-03-04')`,
    );
    const { code, out, error } = await run();
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const lines = out.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME').split('\n');
    const reason = 'The body of a DaHealthClaimed cannot be read: its looks has an unexpected form';
    const worse = (position: number) =>
      `  claims      ${String(position).padEnd(8)}  worse?2J/claims  DaHealthClaimed  TIME  ${reason}`;
    expect(lines).toEqual([
      'Events that a read model skipped: 11',
      '  read model  position  stream           type             since                 error',
      `  claims      1         bad/claims       DaHealthClaimed  TIME  ${reason}`,
      ...Array.from({ length: 10 }, (_, index) => worse(index + 2)),
      '',
      'Quarantined streams of a read model: 1',
      '  read model  stream           since',
      '  claims      worse?2J/claims  TIME',
      '',
      'Nodes and chains whose statistics cannot be computed: 2',
      '  whose          since                 last tried            error',
      '  chain alpha-1  TIME  TIME  no decimal',
      '  node four      TIME  TIME  a ?[31mred error',
      '',
    ]);
    const json = await run('--json');
    expect(json.out).toContain('\\u001b[31mred error');
    expect(JSON.parse(json.out)).toMatchObject({
      events: { total: 11 },
      streams: { total: 1, rows: [{ stream: 'worse\u009b2J/claims' }] },
      owners: {
        total: 2,
        rows: [
          { chain: 'alpha-1', since: '2026-03-01T00:00:00.000Z', triedAt: '2026-03-02T00:00:00.000Z' },
          { node: 'four', error: 'a \u001b[31mred error' },
        ],
      },
    });
  });

  it('lists what readiness calls degraded', async () => {
    const api = await startApi(database.url);
    try {
      const response = await fetch(`${api.url}/health/ready`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        ready: true,
        degraded: [
          'No process observes the nodes.',
          'The read model claims continues without 11 events that it cannot process, of 2 streams ' +
            '(worse?2J/claims, bad/claims); 1 stream is completely quarantined. `hindsight faults` says why.',
          'The statistics of 2 nodes and chains cannot be computed (chain alpha-1, node four). ' +
            '`hindsight faults` says why.',
        ],
      });
    } finally {
      await api.stop();
    }
  });

  it('has pages', async () => {
    await dataSource.query(
      `INSERT INTO projection_fault SELECT 'record', n, 1, 'node-' || n || '/blocks', 'BlocksObserved', 'error ' || n
         FROM generate_series(1, 100) n`,
    );
    const first = await run();
    expect(first.out).toMatch(/Page 1 of 3; --page 2 shows more\.\n$/);
    expect(first.out).not.toContain('node-40/');
    const last = await run('--page', '3');
    expect(last.out).toContain('node-100/');
    expect(last.out).toMatch(/Page 3 of 3\.\n$/);
    expect((await run('--page', '9')).out).toContain('Page 9 of 3.');
  });
});
