import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmptyDatabase, type TestDatabase } from './database.js';
import { ServiceHome, waitFor, type ServiceProcess } from './service-process.js';

export const PATIENCE_MS = 180_000;

interface ShownInterval {
  readonly rule: string;
  readonly state: string;
  readonly reason: string;
}

/** A service whose settings name a system behind a node, and the health line of that system. */
export class WatchedSystem {
  private constructor(
    private readonly component: 'DA_NODE' | 'EXECUTION',
    private readonly home: ServiceHome,
    readonly database: TestDatabase,
    readonly service: ServiceProcess,
  ) {}

  /** @param settings of the file, with the data directory for its secrets */
  static async start(
    component: 'DA_NODE' | 'EXECUTION',
    settings: (dataDir: string) => object,
  ): Promise<WatchedSystem> {
    const home = new ServiceHome();
    const database = await startEmptyDatabase();
    const config = join(home.dataDir, 'hindsight.yaml');
    writeFileSync(config, JSON.stringify(settings(home.dataDir)));
    const args = ['start', '--config', config, '--port', '0'];
    const service = home.launch(args, { databaseUrl: database.url });
    await service.ready;
    return new WatchedSystem(component, home, database, service);
  }

  async line(node = 'alpha'): Promise<readonly ShownInterval[]> {
    const query = `{ healthHistory(node: "${node}", component: ${this.component}) { rule state reason } }`;
    return (await this.service.graphql<{ healthHistory: ShownInterval[] }>(query)).healthHistory;
  }

  /** Waits until this rule holds. */
  shows(rule: string, node?: string): Promise<ShownInterval> {
    return waitFor(
      `the rule ${rule}`,
      async () => {
        const last = (await this.line(node)).at(-1);
        return last?.rule === rule ? last : undefined;
      },
      PATIENCE_MS,
    );
  }

  /** Waits until a DA node has these words in the reason of its present state. */
  async says(words: string, node: string): Promise<void> {
    const query = `{ daNodes(nodes: ["${node}"]) { reason } }`;
    await waitFor(
      words,
      async () => {
        const { daNodes } = await this.service.graphql<{ daNodes: { reason: string }[] }>(query);
        return daNodes[0]?.reason.includes(words) || undefined;
      },
      PATIENCE_MS,
    );
  }

  async stop(): Promise<void> {
    await this.home.clear();
    await this.database.stop();
  }
}
