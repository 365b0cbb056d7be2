import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import {
  CLUSTER_ROLE,
  dataFolder,
  ensureCluster,
  readPassword,
  type Cluster,
} from '../../src/platform/embedded-postgres/cluster.js';
import { placeCluster } from '../../src/platform/embedded-postgres/home.js';
import { stopPostmaster, type Postmaster } from '../../src/platform/embedded-postgres/postmaster.js';
import { ensureServer } from '../../src/platform/embedded-postgres/server.js';
import { runMigrations } from '../../src/platform/migrations.js';

/** A test's data may be lost in a crash of the machine. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const DATABASE = 'replicated';

/** A migrated database on its own server, and a streaming replica of that server. */
export class ReplicatedDatabase {
  private readonly clock = new SystemClock();
  private readonly servers: { cluster: Cluster; server: Postmaster }[] = [];
  private replica: Client | undefined;

  private constructor(
    private readonly folder: string,
    private readonly urls: Map<'primary' | 'replica', string>,
  ) {}

  static async start(): Promise<ReplicatedDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-replica-'));
    // As root, the servers run under another account, which needs access.
    chmodSync(folder, 0o755);
    const database = new ReplicatedDatabase(folder, new Map());
    try {
      await database.startServers();
      return database;
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  get primaryUrl(): string {
    return this.urls.get('primary') ?? '';
  }

  get replicaUrl(): string {
    return this.urls.get('replica') ?? '';
  }

  /** Stops the replica from showing new data. */
  async pause(): Promise<void> {
    await this.askReplica('SELECT pg_wal_replay_pause()');
    // The pause takes effect with the next record.
    while (
      (await this.askReplica('SELECT pg_get_wal_replay_pause_state() AS state'))[0]?.['state'] !== 'paused'
    ) {
      await this.clock.sleep(20);
    }
  }

  async resume(): Promise<void> {
    await this.askReplica('SELECT pg_wal_replay_resume()');
  }

  async stop(): Promise<void> {
    await this.replica?.end();
    for (const { cluster, server } of this.servers) {
      await stopPostmaster(dataFolder(cluster), server.pid, this.clock);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startServers(): Promise<void> {
    const primary = placeCluster(join(this.folder, 'primary'));
    const replica = placeCluster(join(this.folder, 'replica'));
    await ensureCluster(primary);
    // A cluster that has never run is its own base backup. The copy keeps owners and modes.
    execFileSync('cp', ['-a', primary.home, replica.home]);
    writeFileSync(join(dataFolder(replica), 'standby.signal'), '');
    const password = readPassword(primary);
    const port = await this.run(primary, {});
    const source = `host=127.0.0.1 port=${port} user=${CLUSTER_ROLE} password=${password}`;
    const replicaPort = await this.run(replica, { primary_conninfo: source });
    const urlOf = (at: number, name: string): string =>
      `postgres://${CLUSTER_ROLE}:${password}@127.0.0.1:${at}/${name}`;
    await execute(urlOf(port, 'postgres'), `CREATE DATABASE ${DATABASE} ENCODING 'UTF8' TEMPLATE template0`);
    this.urls.set('primary', urlOf(port, DATABASE)).set('replica', urlOf(replicaPort, DATABASE));
    const dataSource = await createDataSource({ url: this.primaryUrl, poolSize: 1 }).initialize();
    await runMigrations(dataSource);
    await dataSource.destroy();
    this.replica = new Client({ connectionString: urlOf(replicaPort, 'postgres') });
    await this.replica.connect();
  }

  private async run(cluster: Cluster, settings: Readonly<Record<string, string>>): Promise<number> {
    const server = await ensureServer(cluster, { clock: this.clock, settings: { ...SETTINGS, ...settings } });
    this.servers.unshift({ cluster, server });
    return server.port;
  }

  private async askReplica(sql: string): Promise<Record<string, unknown>[]> {
    return (await this.replica?.query<Record<string, unknown>>(sql))?.rows ?? [];
  }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
