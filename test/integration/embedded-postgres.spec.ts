import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { SystemClock } from '../../src/platform/clock.js';
import { findPostmaster } from '../../src/platform/embedded-postgres/postmaster.js';
import { createLogger } from '../../src/platform/logger.js';
import { openDatabase, type OpenedDatabase } from '../../src/platform/open-database.js';
import { giveCluster } from '../support/made-cluster.js';

interface Holder {
  readonly process: ChildProcess;
  readonly url?: string;
  readonly refused?: string;
}

describe('the embedded Postgres', () => {
  let folder: string;
  let dataDir: string;
  const holders: ChildProcess[] = [];
  const opened: OpenedDatabase[] = [];

  /** The cluster's own folder, wherever it had to be put. */
  const data = (): string => {
    const pointer = join(dataDir, 'postgres-location');
    const folder = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : dataDir;
    return join(folder, 'postgres', 'data');
  };

  const hold = async (
    kind: 'service' | 'guest',
    account: { uid?: number; gid?: number } = {},
  ): Promise<Holder> => {
    const child = spawn(
      process.execPath,
      ['--import', './test/support/typescript.mjs', 'test/support/hold-database.ts', dataDir, kind],
      { stdio: ['ignore', 'pipe', 'inherit'], ...account },
    );
    holders.push(child);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { process: child, ...(JSON.parse(line) as { url?: string; refused?: string }) };
  };

  const end = async (holder: Holder, signal: NodeJS.Signals): Promise<number | null> => {
    const gone = once(holder.process, 'exit') as Promise<[number | null]>;
    holder.process.kill(signal);
    return (await gone)[0];
  };

  const open = async (options: { exclusive: boolean; create?: boolean }): Promise<OpenedDatabase> => {
    const database = await openDatabase({
      ...options,
      dataDir,
      clock: new SystemClock(),
      logger: createLogger('silent'),
    });
    opened.push(database);
    return database;
  };

  const query = async (url: string | undefined, sql: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-embedded-'));
    chmodSync(folder, 0o755);
    dataDir = join(folder, 'data');
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
    for (const child of holders.splice(0)) child.kill('SIGKILL');
    const server = findPostmaster(data());
    if (server !== undefined) process.kill(server.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  });

  it('keeps its data over a stop and a start, with a UTC clock and room for many connections', async () => {
    const first = await open({ exclusive: true });
    await query(first.url, 'CREATE TABLE kept (id int)');
    await first.close();
    expect(findPostmaster(data())).toBeUndefined();
    const second = await open({ exclusive: true });
    expect(await query(second.url, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 0 }]);
    expect(
      await query(
        second.url,
        "SELECT current_setting('timezone') AS zone, current_setting('max_connections') AS max",
      ),
    ).toEqual([{ zone: 'UTC', max: '200' }]);
  });

  it('ends the server of a service that was killed, and starts its own', async () => {
    await giveCluster(dataDir);
    const killed = await hold('service');
    await query(killed.url, 'CREATE TABLE kept (id int)');
    await end(killed, 'SIGKILL');
    const left = findPostmaster(data());
    expect(left).toBeDefined();
    const next = await open({ exclusive: true });
    expect(findPostmaster(data())?.pid).not.toBe(left?.pid);
    expect(await query(next.url, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 0 }]);
    await next.close();
    expect(findPostmaster(data())).toBeUndefined();
  });

  it('uses the server of a killed service for a command, and stops it after that', async () => {
    await giveCluster(dataDir);
    const killed = await hold('service');
    const left = findPostmaster(data());
    await end(killed, 'SIGKILL');
    const command = await open({ exclusive: false });
    expect(findPostmaster(data())?.pid).toBe(left?.pid);
    await command.close();
    expect(findPostmaster(data())).toBeUndefined();
  });

  it('starts next to the lock file of a server that was killed', async () => {
    await giveCluster(dataDir);
    const service = await hold('service');
    const postmaster = findPostmaster(data());
    await end(service, 'SIGKILL');
    process.kill(postmaster?.pid ?? 0, 'SIGKILL');
    expect(existsSync(join(data(), 'postmaster.pid'))).toBe(true);
    const next = await open({ exclusive: true });
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts even if an unrelated living process has got the number in a stale lock file', async () => {
    await giveCluster(dataDir);
    writeFileSync(
      join(data(), 'postmaster.pid'),
      `${process.pid}\n${data()}\n1\n5432\n\n127.0.0.1\n\nready   \n`,
    );
    const next = await open({ exclusive: true });
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('refuses a second living service and says which one holds the directory', async () => {
    await giveCluster(dataDir);
    const service = await hold('service');
    const second = await hold('service');
    expect(second.refused).toContain(
      `Another Hindsight is running on ${dataDir}: process ${service.process.pid}`,
    );
    expect(second.refused).toMatch(/started \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, ".*hold-database\.ts/);
    expect(await query(service.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('lets exactly one of two services win that start at the same moment on an empty directory', async () => {
    const both = await Promise.all([hold('service'), hold('service')]);
    expect(both.filter((holder) => holder.url !== undefined)).toHaveLength(1);
    expect(both.filter((holder) => holder.refused?.startsWith('Another Hindsight'))).toHaveLength(1);
  });

  it('starts next to a service that lost, and is still writing the database that it began to make', async () => {
    const draft = join(dataDir, 'postgres.new-lost');
    await giveCluster(dataDir);
    const writer = spawn('sh', [
      '-c',
      `for i in $(seq 20000); do [ -d ${draft}/base ] || mkdir -p ${draft}/base; : > ${draft}/base/$i; done`,
    ]);
    const gone = once(writer, 'exit');
    holders.push(writer);
    try {
      const service = await open({ exclusive: true });
      expect(await query(service.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    } finally {
      writer.kill('SIGKILL');
      await gone;
    }
  });

  it('lets a command work next to a running service, and leaves the server to the service', async () => {
    await giveCluster(dataDir);
    const service = await hold('service');
    const guest = await open({ exclusive: false });
    expect(guest.url).toBe(service.url);
    await guest.close();
    expect(await query(service.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await end(service, 'SIGTERM')).toBe(0);
    expect(findPostmaster(data())).toBeUndefined();
  });

  it('leaves a server that a command started to the service that came meanwhile', async () => {
    await giveCluster(dataDir);
    const guest = await hold('guest');
    const service = await hold('service');
    expect(service.url).toBe(guest.url);
    expect(await end(guest, 'SIGTERM')).toBe(0);
    expect(await query(service.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await end(service, 'SIGTERM')).toBe(0);
    expect(findPostmaster(data())).toBeUndefined();
  });

  it('lets a command finish when the service stops first, and stops the server after it', async () => {
    await giveCluster(dataDir);
    const service = await hold('service');
    const guest = await hold('guest');
    expect(await end(service, 'SIGTERM')).toBe(0);
    expect(await query(guest.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await end(guest, 'SIGTERM')).toBe(0);
    expect(findPostmaster(data())).toBeUndefined();
  });

  it('does not make a database where a command expects one', async () => {
    await expect(open({ exclusive: false })).rejects.toThrow(`There is no record in ${dataDir}.`);
  });

  it('works in a directory that the account of the server cannot enter', async () => {
    chmodSync(folder, 0o700);
    // As hardened hosts set it for root.
    const before = process.umask(0o077);
    const first = await open({ exclusive: true }).finally(() => process.umask(before));
    await query(first.url, 'CREATE TABLE kept (id int)');
    await first.close();
    const second = await open({ exclusive: true });
    expect(await query(second.url, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 0 }]);
    await second.close();
    if (process.getuid?.() === 0) {
      expect(data()).toMatch(/^\/var\/(lib|tmp)\/hindsight/);
      rmSync(join(data(), '..', '..'), { recursive: true });
    }
  });

  it('says what to do if no database can be made', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(dataDir, 'a file, no folder');
    await expect(open({ exclusive: true })).rejects.toMatchObject({
      message: expect.stringContaining('Cannot make a database in') as unknown,
      remedy: expect.stringContaining('DATABASE_URL') as unknown,
    });
    rmSync(dataDir);
  });

  if (process.getuid?.() === 0) {
    it('says which account it needs if ours has no name, as in some containers', async () => {
      chmodSync(folder, 0o777);
      const holder = await hold('service', { uid: 12_345, gid: 0 });
      expect(holder.refused).toMatch(/Cannot make a database in .* user ID 12345: user does not exist/);
      await once(holder.process, 'exit');
      expect(readdirSync(dataDir)).toEqual([]);
    });
  }

  it('is stopped in the middle of its start by a signal, and leaves no process behind', async () => {
    const stop = new AbortController();
    const starting = openDatabase({
      dataDir,
      exclusive: true,
      clock: new SystemClock(),
      logger: createLogger('silent'),
      signal: stop.signal,
    });
    stop.abort();
    await expect(starting).rejects.toThrow(/abort/i);
    expect(findPostmaster(data())).toBeUndefined();
    expect(readdirSync(dataDir)).toEqual([]);
  });
});
