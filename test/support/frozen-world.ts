import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase, type TestDatabase } from './database.js';
import { ServiceHome } from './service-process.js';

/** A world of nodes whose finality is frozen; one, `n1`, unless a spec adds others. */
export class FrozenWorld {
  readonly home = new ServiceHome();
  private database: TestDatabase | undefined;
  private dataSource: DataSource | undefined;

  async start(): Promise<void> {
    this.database = await startTestDatabase();
    this.dataSource = await createDataSource({ url: this.database.url, poolSize: 2 }).initialize();
    await this.freeze(1, 'alpha-1');
  }

  /** Adds a node, `n` and its number, that has been frozen for 20 minutes. */
  async freeze(number: number, chain: string, reason = 'it is frozen'): Promise<void> {
    await this.source.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position) VALUES ($1, $2, 'http://n', $3, 1)`,
      [number, `n${number}`, chain],
    );
    await this.source.query(
      `INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
       VALUES ($1, 'DA', now() - interval '20 min', NULL, 'CRITICAL', 'frozen', $2, 0, 1)`,
      [`n${number}`, reason],
    );
  }

  get url(): string {
    return this.database?.url ?? '';
  }

  get source(): DataSource {
    if (!this.dataSource) throw new Error('it was not started');
    return this.dataSource;
  }

  /** Makes nodes healthy for the last six minutes: those with a pattern of SQL, or all. */
  async heal(nodes = '%'): Promise<void> {
    const sql = `UPDATE health_interval SET to_at = now() - interval '6 min' WHERE node LIKE $1`;
    await this.source.query(sql, [nodes]);
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
