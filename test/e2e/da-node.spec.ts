import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { waitFor } from '../support/service-process.js';
import { PATIENCE_MS, WatchedSystem } from '../support/watched-system.js';

const BLOCK_MS = 250;
const RICH_UTIA = 1_000_000_000_000n;

describe('a DA node that the settings name', () => {
  let da: DaDevnode;
  let node: Devnode;
  let world: WatchedSystem;
  let token: string;

  beforeAll(async () => {
    // Enough for days: the account runs low only where a case empties it.
    da = await startDaDevnode({ blockTimeMs: BLOCK_MS, balanceUtia: RICH_UTIA });
    node = await startDevnode({
      chainId: 'da-1',
      blockTimeMs: 500,
      daUrl: da.url,
      daToken: da.tokens.write,
    });
    token = await da.token('read');
    world = await WatchedSystem.start('DA_NODE', (dataDir) => {
      const tokenFile = join(dataDir, 'da-token');
      writeFileSync(tokenFile, `a warning that the command prints\n${token}\n`);
      return {
        nodes: [
          { id: 'alpha', rpc: node.url, daNode: { url: da.url, tokenFile } },
          {
            id: 'exact',
            rpc: node.url,
            headers: { 'x-other': 'view' },
            daNode: { url: da.url, tokenFile },
            daConsensus: { rest: da.consensusUrl },
          },
          { id: 'alone', rpc: node.url, headers: { 'x-other': 'node' } },
        ],
        chains: [
          {
            id: 'da-1',
            thresholds: { daNodeBehindAfter: '3s', daNodeBehindBlocks: 1, usualUnknown: '500ms' },
          },
        ],
      };
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await world?.stop();
    await node?.stop();
    await da?.stop();
  }, PATIENCE_MS);

  it('is healthy while its head moves', () => world.shows('healthy'), PATIENCE_MS);

  it(
    'is behind once the DA chain is halted, though all flags of the DA node report that it is fine',
    async () => {
      await da.begin({ fault: 'halt' });
      expect(await world.shows('da-node-behind')).toMatchObject({ state: 'CRITICAL' });
      await world.says('The DA chain is halted: its consensus node has no newer block', 'exact');
      await da.end('halt');
      await world.shows('healthy');
      await world.shows('healthy', 'exact');
    },
    PATIENCE_MS,
  );

  it(
    'is left behind by its chain while it is cut off, by the head of the consensus node',
    async () => {
      await da.begin({ fault: 'cut-off' });
      await world.says('The DA chain is ahead: its consensus node is at ', 'exact');
      const { daNodes } = await world.service.graphql<{ daNodes: Record<string, string | null>[] }>(
        '{ daNodes { nodeId head consensusHead consensusHeadAt } }',
      );
      const [alpha, exact] = daNodes;
      expect(alpha).toMatchObject({ nodeId: 'alpha', consensusHead: null, consensusHeadAt: null });
      expect(Number(exact?.['consensusHead'])).toBeGreaterThan(Number(exact?.['head']));
      await da.send({ fund: { amount: 5n } });
      await waitFor('a balance above the head of the DA node', async () => {
        const { accounts } = await world.service.graphql<{ accounts: { daHeight: string | null }[] }>(
          '{ accounts { daHeight } }',
        );
        return Number(accounts[0]?.daHeight) > Number(exact?.['head']) || undefined;
      });
      await da.end('cut-off');
      await world.shows('healthy');
      await world.shows('healthy', 'exact');
    },
    PATIENCE_MS,
  );

  it(
    'is unreachable while it is stopped',
    async () => {
      await da.begin({ fault: 'stopped' });
      expect((await world.shows('da-node-unreachable')).reason).toContain('refused');
      await da.end('stopped');
      await world.shows('healthy');
    },
    PATIENCE_MS,
  );

  it(
    'reports a balance that cannot be read while its consensus node is down',
    async () => {
      await da.begin({ fault: 'consensus-down', delayMs: 200 });
      expect((await world.shows('consensus-unreachable')).reason).toContain('failed to query for balance');
      await da.end('consensus-down');
      await world.shows('healthy');
    },
    PATIENCE_MS,
  );

  it(
    'is short of funds as soon as the account is empty',
    async () => {
      await da.send({ drain: { leave: 0n } });
      expect((await world.shows('funds-low')).reason).toContain(da.address);
      await da.send({ fund: { amount: RICH_UTIA } });
      await world.shows('healthy');
    },
    PATIENCE_MS,
  );

  it(
    'reports that the token of Hindsight is refused, not that the DA node is down',
    async () => {
      await da.begin({ fault: 'token-refused', only: 'read' });
      expect(await world.shows('da-token-refused')).toMatchObject({ state: 'WARNING' });
    },
    PATIENCE_MS,
  );

  it('has no line where the settings name none', async () => {
    expect(await world.line('alone')).toEqual([]);
  });

  it('asked nothing but reads, and its token is in no log and no event', async () => {
    const asked = [...da.calls.keys()].filter((name) => !name.startsWith('blob.') && !name.includes('/'));
    expect(asked.toSorted()).toEqual([
      'das.SamplingStats',
      'header.LocalHead',
      'header.SyncState',
      'state.AccountAddress',
      'state.BalanceForAddress',
    ]);
    const client = new Client({ connectionString: world.database.url });
    await client.connect();
    const { rows } = await client.query<{ text: string }>('SELECT body::text AS text FROM event');
    await client.end();
    expect(rows.length).toBeGreaterThan(10);
    for (const { text } of rows) expect(text).not.toContain(token);
    expect(world.service.log).not.toContain(token);
  });
});
