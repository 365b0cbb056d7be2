import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from './database.js';
import { ServiceHome } from './service-process.js';

/** A world with one node whose finality is frozen. */
export class FrozenWorld {
  readonly home = new ServiceHome();
  private database: TestDatabase | undefined;
  private dataSource: DataSource | undefined;

  async start(): Promise<void> {
    this.database = await startTestDatabase();
    this.dataSource = await createDataSource({ url: this.database.url, poolSize: 2 }).initialize();
    await this.source.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position) VALUES (1, 'n1', 'http://n1', 'alpha-1', 1)`,
    );
    await this.source.query(
      `INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
       VALUES ('n1', 'DA', now() - interval '20 min', NULL, 'CRITICAL', 'frozen', 'it is frozen', 0, 1)`,
    );
  }

  get url(): string {
    return this.database?.url ?? '';
  }

  get source(): DataSource {
    if (!this.dataSource) throw new Error('it was not started');
    return this.dataSource;
  }

  /** Makes its node healthy for the last six minutes. */
  async heal(): Promise<void> {
    await this.source.query(`UPDATE health_interval SET to_at = now() - interval '6 min'`);
  }

  write(destinations: string): string {
    const config = join(this.home.dataDir, 'alerts.yaml');
    // Other rules depend on the machine.
    const rules = ['node-unseen', 'not-recording', 'degraded', 'disk-full'].map(
      (name) => `{ name: ${name}, off: true }`,
    );
    writeFileSync(config, `alerts:\n  rules: [${rules.join(', ')}]\n  destinations: [${destinations}]\n`);
    return config;
  }

  async bodiesOf(type: string): Promise<Record<string, unknown>[]> {
    const sql = "SELECT body FROM event WHERE stream = '*/operator' AND type = $1 ORDER BY version";
    const rows = await this.source.query<{ body: Record<string, unknown> }[]>(sql, [type]);
    return rows.map(({ body }) => body);
  }

  async stop(): Promise<void> {
    await this.dataSource?.destroy();
    await this.home.clear();
    await this.database?.stop();
  }
}
