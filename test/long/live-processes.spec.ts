import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { LiveClient, received } from '../support/live-client.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

/** Time from the write of a row until its event is there, in milliseconds. */
const SOON_MS = 2_000;
/** A process stops within this time after a signal, whoever is connected. */
const STOP_LIMIT_MS = 5_000;

interface Observed {
  readonly submissions: readonly { readonly nodeId: string; readonly updatedAt: string }[];
}

describe('subscriptions to a process that does not record', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let node: Devnode;
  let api: ServiceProcess;
  let client: LiveClient;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    node = await startDevnode({ chainId: 'live-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    const start = async (role: string): Promise<ServiceProcess> => {
      const process = home.launch(['start', '--role', role, '--node', `dev=${node.url}`, '--port', '0'], {
        databaseUrl: database.url,
      });
      await process.ready;
      return process;
    };
    await start('worker');
    await start('observer');
    api = await start('api');
    client = new LiveClient(api.address);
  }, 120_000);

  afterAll(async () => {
    await client?.close();
    await home.clear();
    await node?.stop();
    await database?.stop();
  });

  it('deliver what other processes record, within two seconds', async () => {
    const delays: number[] = [];
    const rows = client.subscribe<Observed>(
      'submissionsObserved(nodes: ["dev"], chains: ["live-1"]) { submissions { nodeId updatedAt } }',
    );
    const blocks = client.subscribe('blocksObserved { count blocks { height } }');
    for (let count = 1; count <= 5; count += 1) {
      const { submissions } = (await received(rows, count))[count - 1] as Observed;
      for (const { updatedAt } of submissions) delays.push(Date.now() - Date.parse(updatedAt));
    }
    await received(blocks, 3);
    expect(delays.length).toBeGreaterThan(0);
    expect(Math.max(...delays)).toBeLessThan(SOON_MS);
  }, 60_000);

  it('end when the process stops, which does not take longer', async () => {
    const stoppedAt = performance.now();
    await api.kill('SIGTERM');
    expect(performance.now() - stoppedAt).toBeLessThan(STOP_LIMIT_MS);
    expect(client.closes).toEqual([expect.stringMatching(/^(?:1001|1006) /)]);
  }, 60_000);
});
