import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { HttpSink } from '../support/http-sink.js';
import { ServiceHome, waitFor, type CommandResult, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 240_000;

describe('alerts of a worker that is killed', () => {
  let home: ServiceHome;
  let database: TestDatabase;
  let source: DataSource;
  let sink: HttpSink;
  let config: string;

  const start = async (): Promise<ServiceProcess> => {
    const args = ['start', '--role', 'worker', '--port', '0', '--config', config];
    const service = home.launch(args, { databaseUrl: database.url });
    await service.ready;
    return service;
  };
  const kill = async (service: ServiceProcess): Promise<void> => {
    await service.kill('SIGKILL');
  };
  const count = async (type: string): Promise<number> => {
    const sql = "SELECT count(*)::int4 AS n FROM event WHERE stream = '*/operator' AND type = $1";
    const [row] = await source.query<{ n: number }[]>(sql, [type]);
    return row?.n ?? 0;
  };
  const waitUntil = (what: string, isSo: () => boolean | Promise<boolean>): Promise<true> =>
    waitFor(what, async () => (await isSo()) || undefined, 60_000);
  const run = (...args: string[]): Promise<CommandResult> =>
    home.run(['alerts', ...args, '--config', config], {
      databaseUrl: database.url,
      env: { HINDSIGHT_LOG_LEVEL: 'silent' },
    });

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startTestDatabase();
    source = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    sink = await HttpSink.start();
    config = join(home.dataDir, 'alerts.yaml');
    writeFileSync(config, `alerts: { destinations: [{ id: ops, webhook: "${sink.url}/hook" }] }\n`);
    await source.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position) VALUES (1, 'n1', 'http://n1', 'alpha-1', 1)`,
    );
    await source.query(
      `INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
       VALUES ('n1', 'DA', now() - interval '20 min', NULL, 'CRITICAL', 'frozen', 'it is frozen', 0, 1)`,
    );
  });

  afterAll(async () => {
    await source?.destroy();
    await home?.clear();
    await sink?.stop();
    await database?.stop();
  });

  it(
    'come at least once, with the same key and bytes, and once more at most for each kill',
    async () => {
      sink.status = 'hold';
      const first = await start();
      await waitUntil('the first message', () => sink.taken.length === 1);
      await kill(first);
      expect(await count('AlertDelivered')).toBe(0);

      sink.status = 200;
      const second = await start();
      await waitUntil('its record', async () => (await count('AlertDelivered')) === 1);
      await kill(second);
      expect(sink.taken).toHaveLength(2);

      await source.query(`UPDATE health_interval SET to_at = now() - interval '6 min'`);
      sink.status = 503;
      const third = await start();
      await waitUntil('the end', () => sink.taken.length === 3);
      await kill(third);

      sink.status = 200;
      const fourth = await start();
      await waitUntil('the record of the end', async () => (await count('AlertDelivered')) === 2);
      await kill(fourth);
      expect([await count('AlertRaised'), await count('AlertResolved'), sink.taken.length]).toEqual([
        1, 1, 4,
      ]);
      const keys = sink.taken.map(({ headers }) => headers['x-hindsight-key']);
      expect([keys[0], keys[2]]).toEqual([keys[1], keys[3]]);
      expect(new Set(keys).size).toBe(2);
      expect(new Set(sink.taken.map(({ body }) => body)).size).toBe(2);
    },
    PATIENCE_MS,
  );

  it(
    'are replayed, listed and tried by the command',
    async () => {
      const { out, error } = await run('--dry-run', '--from', '2026-01-01');
      expect(error).toBe('');
      expect(out.split('\n').filter((line) => line.includes('Finality stands still'))).toEqual([
        expect.stringContaining('CRITICAL: Finality stands still (alpha-1)'),
        expect.stringContaining('RESOLVED: Finality stands still (alpha-1)'),
      ]);
      expect((await run('--dry-run', '--from', '2026-01-01', '--to', '2026-01-02')).out).toBe(
        'Nothing would have been sent.\n',
      );
      expect((await run('list')).out).toMatch(/finality-frozen[^]*No alert is open\.\n$/);
      expect(await run('test', 'ops')).toEqual({ code: 0, out: 'ops took it.\n', error: '' });
      expect(JSON.parse(sink.taken.at(-1)?.body ?? '')).toMatchObject({ rule: 'trial', status: 'RAISED' });
      sink.status = 401;
      expect(await run('test')).toMatchObject({
        code: 1,
        error: expect.stringContaining('ops (it answered 401)') as unknown,
      });
      expect(await run('test', 'nobody')).toMatchObject({ code: 2, out: '' });
      expect(await run()).toMatchObject({ code: 2, out: '' });
    },
    PATIENCE_MS,
  );
});
