import { setImmediate as settle } from 'node:timers/promises';
import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import { ConsensusApi } from '../../src/node-api/consensus-api.js';
import { ConsensusWatch } from '../../src/observe/systems/consensus-watch.js';
import { HttpClient } from '../../src/platform/http.js';
import type { Logger } from '../../src/platform/logger.js';
import { ManualClock } from '../support/manual-clock.js';
import { waitFor } from '../support/service-process.js';

const CHAIN = 'devnode-da-1';

describe('the head of a consensus node', () => {
  const clock = new ManualClock();
  const http = new HttpClient();
  let node: DaDevnode;
  let warnings: string[];
  let watch: ConsensusWatch;
  let stopping: AbortController;
  const logger = {
    warn: ({ problem }: { problem: string }) => void warnings.push(problem),
  } as unknown as Logger;
  const next = (daChain: string = CHAIN) =>
    watch.next({ daChain, freshMs: 1_000, logger }, stopping.signal)?.height;
  const asked = (): number => node.calls.get('GET /cosmos/base/node/v1beta1/status') ?? 0;

  beforeEach(async () => {
    warnings = [];
    stopping = new AbortController();
    node = await startDaDevnode({ blockTimeMs: 0, clock });
    watch = new ConsensusWatch(new ConsensusApi(http, { url: node.consensusUrl }), clock);
  });
  afterEach(async () => {
    stopping.abort();
    await node.stop();
  });
  afterAll(() => http.close());

  it('is asked for once by polls of several nodes within the time', async () => {
    expect([next(), next(), next()]).toEqual([undefined, undefined, undefined]);
    await waitFor('the head', () => next());
    expect(asked()).toBe(1);
    node.produce();
    await clock.advance(1_000);
    await waitFor('the next head', () => next() === node.chain.head.height || undefined);
    expect([asked(), warnings]).toEqual([2, []]);
  });

  it('does not count where it is of another chain, and the log says so once', async () => {
    for (let poll = 1; poll <= 3; poll += 1) {
      expect(next('mocha-4')).toBeUndefined();
      await waitFor('an answer', () => asked() === poll || undefined);
      await waitFor('the warning', () => warnings.length > 0 || undefined);
      for (let turn = 0; turn < 20; turn += 1) await settle();
      await clock.advance(1_000);
    }
    expect(next('mocha-4')).toBeUndefined();
    expect(warnings).toEqual(['of another DA chain']);
  });

  it('is awaited by nobody while the consensus node hangs', async () => {
    next();
    await waitFor('the head', () => next());
    const { height } = node.chain.head;
    await node.begin({ fault: 'consensus-hang' });
    node.produce();
    await clock.advance(1_000);
    expect([next(), next()]).toEqual([height, height]);
  });

  it('is unknown once the consensus node is down, and the log says so once', async () => {
    next();
    await waitFor('the head', () => next());
    await node.begin({ fault: 'consensus-down' });
    for (let poll = 0; poll < 3; poll += 1) {
      await clock.advance(1_000);
      await waitFor('no head', () => next() === undefined || undefined);
      for (let turn = 0; turn < 20; turn += 1) await settle();
    }
    expect(warnings).toEqual(['UNREACHABLE']);
  });
});
