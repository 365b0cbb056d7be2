import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeRegistry } from '../../src/observe/node/node-registry.js';
import { createDataSource } from '../../src/platform/database.js';
import { maskUrl } from '../../src/platform/redact.js';
import { nodeValue, toNodeEntry } from '../../src/settings/node.js';
import { startApi } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';

const KEY = '9aa3d95b3bc440fa88ea12eaa4456161';
const OTHER_KEY = '4f8a0c2e6b1d3957f0e2a4c6d8b09135';
const URL_WITH_KEY = `https://rpc.example/v3/${KEY}`;

describe('the settings of a node whose address holds a key', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let store: EventStore;
  let registry: NodeRegistry;

  const observed = (argument: string) => nodeValue.parse(toNodeEntry(argument));
  const recorded = async () =>
    (
      await dataSource.query<{ type: string; body: string }[]>(
        'SELECT type, body::text AS body FROM event ORDER BY position',
      )
    ).map(({ type, body }) => [type, JSON.parse(body) as unknown]);

  beforeEach(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    store = new EventStore(dataSource);
    registry = new NodeRegistry(store, new ManualClock());
  });

  afterEach(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  it('are recorded without it, once, and again if the key changes', async () => {
    for (let times = 0; times < 3; times += 1) await registry.register(observed(`a=${URL_WITH_KEY}`));
    await registry.register(observed(`a=https://rpc.example/v3/${OTHER_KEY}`));
    const log = await recorded();
    expect(log).toEqual([
      ['NodeRegistered', { url: maskUrl(URL_WITH_KEY) }],
      ['NodeSettingsChanged', { url: maskUrl(`https://rpc.example/v3/${OTHER_KEY}`) }],
    ]);
    const stored = JSON.stringify([log, await dataSource.query('SELECT state FROM stream_head')]);
    expect(stored).not.toContain(KEY);
    expect(stored).not.toContain(OTHER_KEY);
  });

  it('do not change if an older log has them whole', async () => {
    const event = { type: 'NodeRegistered', observedAt: 1, body: { url: URL_WITH_KEY } } as const;
    const state = { settings: { url: URL_WITH_KEY }, retired: false };
    await store.append({ stream: 'a/node', expectedVersion: 0n, events: [event], state });
    for (let times = 0; times < 3; times += 1) await registry.register(observed(`a=${URL_WITH_KEY}`));
    expect(await recorded()).toHaveLength(1);
  });

  it('are shown without it, even if an older log has them whole', async () => {
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'a', { url: URL_WITH_KEY }),
      nodeRow(2, 'b', { url: 'http://b:1' }),
    ]);
    const api = await startApi(database.url);
    const { nodes } = await api.read<{ nodes: { url: string }[] }>('{ nodes { url } }');
    await api.stop();
    expect(nodes.map(({ url }) => url)).toEqual([maskUrl(URL_WITH_KEY), 'http://b:1']);
    expect(JSON.stringify(nodes)).not.toContain(KEY);
  });
});
