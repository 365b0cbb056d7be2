import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import {
  startExecutionDevnode,
  type ExecutionDevnode,
} from '../../src/devnode/execution/execution-devnode.js';
import { PATIENCE_MS, WatchedSystem } from '../support/watched-system.js';

describe('an execution layer that the settings name', () => {
  let layer: ExecutionDevnode;
  let node: Devnode;
  let world: WatchedSystem;

  beforeAll(async () => {
    layer = await startExecutionDevnode();
    node = await startDevnode({
      chainId: 'execution-1',
      blockTimeMs: 300,
      execution: layer.url,
      executionPatienceMs: 600_000,
    });
    const nodes = [{ id: 'alpha', rpc: node.url, execution: { url: layer.url } }];
    world = await WatchedSystem.start('EXECUTION', () => ({ nodes }));
  }, PATIENCE_MS);

  afterAll(async () => {
    await world?.stop();
    await node?.stop();
    await layer?.stop();
  }, PATIENCE_MS);

  it(
    'is healthy while its states are those that the rollup node names',
    async () => {
      await world.shows('healthy');
    },
    PATIENCE_MS,
  );

  it(
    'is behind once it lacks blocks, which its own flags do not say',
    async () => {
      await layer.begin({ fault: 'behind', blocks: 10 });
      expect((await world.shows('execution-behind')).reason).toContain('blocks behind');
      const metrics = await (await fetch(`${world.service.address}/metrics`)).text();
      expect(metrics).toMatch(/^hindsight_execution_head_lag_blocks\{[^}]*\} (?:[89]|1[0-2])$/m);
      await layer.end('behind');
      await world.shows('healthy');
    },
    PATIENCE_MS,
  );

  it(
    'differs from a height on, which is found',
    async () => {
      const height = Number(layer.chain.head.number) + 2;
      await layer.begin({ fault: 'differs', height, refuse: false });
      expect((await world.shows('execution-differs')).reason).toContain(`first at ${height}:`);
      await layer.end('differs');
      await world.shows('healthy');
    },
    PATIENCE_MS,
  );

  it(
    'is unreachable while it is stopped',
    async () => {
      await layer.begin({ fault: 'stopped' });
      expect((await world.shows('execution-unreachable')).reason).toContain('has not answered');
    },
    PATIENCE_MS,
  );
});
