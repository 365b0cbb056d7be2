import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { HttpSink } from '../support/http-sink.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

const MINUTE = 60_000;
/** Nothing is recorded for two minutes; the beats come at the start of a minute. */
const SILENT_AFTER_MS = 3.2 * MINUTE;
/** Two beats would have come in this time. */
const SILENT_FOR_MS = 2.1 * MINUTE;
/** A restarted part records within seconds; a beat comes each minute. */
const BACK_WITHIN_MS = 2.5 * MINUTE;

/** The dead man's switch is a server that only counts; the service is a process of its own on a real database. */
describe('the heartbeat', () => {
  let sink: HttpSink;
  let devnode: Devnode;
  let database: TestDatabase;
  let admin: DataSource;
  let proxy: BlackHoleProxy;
  let home: ServiceHome;
  let service: ServiceProcess;

  async function start(): Promise<void> {
    service = home.launch(['start', '--config', join(home.dataDir, 'hindsight.yaml'), '--port', '0'], {
      databaseUrl: proxy.url,
    });
    await service.ready;
  }

  async function beatsAgain(): Promise<void> {
    const before = sink.taken.length;
    for (let waited = 0; sink.taken.length === before; waited += 500) {
      if (waited > BACK_WITHIN_MS) throw new Error('no heartbeat came');
      await sleep(500);
    }
    expect(sink.taken.at(-1)?.path).toBe('/ping/secret-of-the-switch');
  }

  async function isSilent(): Promise<void> {
    const before = sink.taken.length;
    await sleep(SILENT_FOR_MS);
    expect(sink.taken.length).toBe(before);
  }

  beforeAll(async () => {
    sink = await HttpSink.start();
    devnode = await startDevnode({ chainId: 'switch-1' });
    database = await startTestDatabase();
    admin = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    proxy = await BlackHoleProxy.start(database.url);
    home = new ServiceHome();
    writeFileSync(
      join(home.dataDir, 'hindsight.yaml'),
      `nodes:\n  - id: alpha\n    url: ${devnode.url}\nalerts:\n  heartbeat: ${sink.url}/ping/secret-of-the-switch\n`,
    );
    await start();
  });
  afterAll(async () => {
    await home?.clear();
    await proxy?.stop();
    await admin?.destroy();
    await database?.stop();
    await devnode?.stop();
    await sink?.stop();
  });

  it(
    'comes while the service records, once a minute',
    async () => {
      await beatsAgain();
      const before = sink.taken.length;
      await sleep(2 * MINUTE);
      expect(sink.taken.length - before).toBe(2);
    },
    6 * MINUTE,
  );

  it(
    'stops while the disk of the database is full, and returns once it has room',
    async () => {
      await admin.query(
        `CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
      );
      await admin.query(
        'CREATE TRIGGER disk_is_full BEFORE INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION disk_is_full()',
      );
      await sleep(SILENT_AFTER_MS);
      await isSilent();
      await admin.query('DROP TRIGGER disk_is_full ON event');
      await beatsAgain();
    },
    12 * MINUTE,
  );

  it(
    'stops while the database is away, and returns with it',
    async () => {
      proxy.refuse(true);
      await isSilent();
      proxy.refuse(false);
      await beatsAgain();
    },
    8 * MINUTE,
  );

  it(
    'stops when the service is killed, and returns with it',
    async () => {
      await service.kill('SIGKILL');
      await isSilent();
      await start();
      await beatsAgain();
    },
    8 * MINUTE,
  );
});
