import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readScenario } from '../../src/cli/scenario-file.js';
import type { DevnodeOptions } from '../../src/devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { planFaults, type Scenario } from '../../src/devnode/scenario.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import { ManualClock } from '../support/manual-clock.js';

interface Line {
  readonly at: string;
  readonly what: string;
  readonly [name: string]: unknown;
}

describe('faults of a devnode', () => {
  let clock: ManualClock;
  let folder: string;
  const started: Devnode[] = [];

  beforeEach(() => {
    clock = new ManualClock();
    folder = mkdtempSync(join(tmpdir(), 'hindsight-faults-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((node) => node.stop()));
    rmSync(folder, { recursive: true });
  });

  async function start(options: Partial<DevnodeOptions> = {}): Promise<Devnode> {
    const node = await startDevnode({
      chainId: 'test-1',
      clock,
      blockTimeMs: 500,
      daBlockTimeMs: 1_000,
      ...options,
    });
    started.push(node);
    return node;
  }

  const post = (node: Devnode, body: unknown, type = 'application/json'): Promise<Response> =>
    fetch(`${node.url}/dev/fault`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
  const getList = async (node: Devnode): Promise<{ is_aggregator?: boolean; submissions: RingRow[] }> =>
    (await fetch(`${node.url}/da/submissions`)).json() as never;
  const linesOf = (text: string): Line[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  /** Waits until a fault that changes the node's life has taken effect, which takes real time. */
  async function advanceUntil(isReached: () => boolean): Promise<void> {
    while (!isReached()) await clock.advance(1);
  }

  it('accepts faults as JSON from its own machine alone', async () => {
    const node = await start();
    expect(await (await post(node, { fault: 'funds', forMs: 1_000 })).json()).toMatchObject({
      faults: ['funds'],
    });
    expect((await post(node, { end: 'all' }, 'text/plain')).status).toBe(415);
    for (const wrong of [{ fault: 'sideways' }, { fault: 'down', forMs: -1 }, { end: 'up' }, {}, [], 7])
      expect([wrong, (await post(node, wrong)).status]).toEqual([wrong, 400]);
    expect((await fetch(`${node.url}/dev/fault`)).status).toBe(415);
    expect((await fetch(`${node.url}/dev/truth`, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(`${node.url}/dev/other`)).status).toBe(404);
    expect(node.faults.names).toEqual(['funds']);
    const open = await start({ host: '0.0.0.0' });
    expect((await post(open, { fault: 'kill' })).status).toBe(404);
    expect((await fetch(`${open.url}/dev/truth`)).status).toBe(404);
    expect(open.faults.names).toEqual([]);
  });

  it('refuses faults that a node cannot have if it follows another node', async () => {
    const follower = await start({ follow: (await start()).url });
    for (const fault of ['funds', 'halted', 'follower']) {
      const answer = await post(follower, { fault });
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining(`cannot have the fault ${fault}, only frozen, garbage, restart, kill.`),
      ]);
    }
    expect(follower.faults.names).toEqual([]);
    expect((await post(follower, { fault: 'garbage' })).status).toBe(200);
    expect(follower.faults.names).toEqual(['garbage']);
  });

  it('ends a fault when its time is over, and lets the newest fault of the DA layer decide', async () => {
    const node = await start();
    await post(node, { fault: 'down' });
    await post(node, { fault: 'funds', forMs: 3_000 });
    expect(node.da.mode).toBe('funds');
    await clock.advance(3_100);
    expect(node.da.mode).toBe('down');
    await post(node, { end: 'all' });
    expect(node.da.mode).toBe('up');
  });

  it('writes down all that happened, which matches the list and the blocks', async () => {
    const truthFile = join(folder, 'truth.ndjson');
    const scenario: Scenario = { steps: [{ fault: 'refused', atMs: 5_000, forMs: 4_000 }] };
    const node = await start({ truthFile, scenario });
    await clock.advance(15_000);
    const lines = linesOf(readFileSync(truthFile, 'utf8'));
    expect(await (await fetch(`${node.url}/dev/truth`)).text()).toBe(readFileSync(truthFile, 'utf8'));
    const ended = lines.filter(({ what }) => what === 'attempt-ended');
    const { submissions } = await getList(node);
    expect(submissions.length).toBeGreaterThan(20);
    expect(
      ended.map(({ status, daHeight = 0, blobs, bytes, message }) => [
        status,
        daHeight,
        blobs,
        bytes,
        message,
      ]),
    ).toEqual(
      submissions
        .toReversed()
        .map((row) => [row.status_code, row.height, row.num_blobs, row.blob_size, row.message]),
    );
    const faults = lines.filter(({ what }) => what.startsWith('fault-'));
    expect(
      faults.map(({ at, what, fault }) => [Date.parse(at) - Date.parse(lines[0]!.at), what, fault]),
    ).toEqual([
      [5_000, 'fault-began', 'refused'],
      [9_000, 'fault-ended', 'refused'],
    ]);
    const blocks = lines.filter(({ what }) => what === 'block');
    expect(blocks.map(({ height }) => height)).toEqual(
      Array.from({ length: Number(node.chain.headHeight) }, (_, index) => index + 1),
    );
    for (const { height, headerDaHeight, dataDaHeight } of lines.filter(({ what }) => what === 'included'))
      expect(node.chain.find(BigInt(height as number))).toMatchObject({
        headerDaHeight: BigInt(headerDaHeight as number),
        dataDaHeight: BigInt(dataDaHeight as number),
      });
    const refused = ended.filter(({ at }) => at > faults[0]!.at && at <= faults[1]!.at);
    expect(refused.length).toBeGreaterThan(5);
    expect(refused.every(({ status }) => status === 'Error')).toBe(true);
  });

  it('reports an attempt that a kill broke off: it was not posted, and no list has it', async () => {
    const truthFile = join(folder, 'truth.ndjson');
    const node = await start({ truthFile });
    await clock.advance(3_200);
    node.faults.begin('kill', 2_000);
    await advanceUntil(() => !node.isUp);
    await advanceUntil(() => node.isUp);
    const lines = linesOf(readFileSync(truthFile, 'utf8'));
    expect(lines.filter(({ what }) => what.startsWith('node-')).map(({ what }) => what)).toEqual([
      'node-started',
      'node-killed',
      'node-started',
    ]);
    const broken = lines.filter(({ what, status }) => what === 'attempt-ended' && status === null);
    expect(broken.map(({ kind, isListed }) => [kind, isListed])).toEqual(
      expect.arrayContaining([['header', false]]),
    );
    expect((await getList(node)).submissions).toEqual([]);
    for (const { fromHeight } of broken)
      expect(node.chain.findPosted('header', BigInt(fromHeight as number))).toBeUndefined();
  });

  it('shows the blocks of another leader while it follows, and begins a new list when it leads again', async () => {
    const node = await start();
    await clock.advance(4_000);
    node.faults.begin('follower');
    const head = node.chain.headHeight;
    await clock.advance(100);
    await advanceUntil(() => node.isUp);
    await clock.advance(4_000);
    expect(await getList(node)).toMatchObject({ is_aggregator: false, submissions: [] });
    expect(node.chain.getMetadata('d')! > head).toBe(true);
    node.faults.end();
    await clock.advance(100);
    await advanceUntil(() => node.isUp);
    await clock.advance(3_000);
    const list = await getList(node);
    expect(list.is_aggregator).toBeUndefined();
    const oldest = list.submissions.at(-1)!;
    expect(BigInt(oldest.height) > node.chain.findPosted('header', head)!).toBe(true);
  });

  it('keeps the inclusion of a follower still while that is frozen, and takes in blocks as ever', async () => {
    const leader = await start();
    const follower = await start({ follow: leader.url });
    await advanceUntil(() => (follower.chain.getMetadata('d') ?? 0n) > 2n);
    follower.faults.begin('frozen');
    await clock.advance(1_000);
    const [included, head] = [follower.chain.getMetadata('d') ?? 0n, follower.chain.headHeight];
    await advanceUntil(() => follower.chain.headHeight > head + 10n);
    expect(follower.chain.getMetadata('d')).toBe(included);
    follower.faults.end();
    await advanceUntil(() => (follower.chain.getMetadata('d') ?? 0n) > included);
  });

  it('keeps inclusion still while it is frozen, and answers garbage of every kind', async () => {
    const node = await start();
    await clock.advance(4_000);
    node.faults.begin('frozen');
    const included = node.chain.getMetadata('d');
    await clock.advance(4_000);
    expect(node.chain.getMetadata('d')).toBe(included);
    expect((await getList(node)).submissions[0]!.status_code).toBe('Success');
    node.faults.begin('garbage');
    const answers = new Set<string>();
    for (let n = 0; n < 40; n += 1) {
      const answer = await fetch(`${node.url}/da/health`);
      answers.add(
        `${answer.status} ${answer.headers.get('content-type')} ${(await answer.text()).slice(0, 9)}`,
      );
    }
    expect(answers.size).toBeGreaterThanOrEqual(5);
    node.faults.end();
    await clock.advance(1_000);
    expect(await (await fetch(`${node.url}/health/ready`)).text()).toBe('READY\n');
    expect(node.chain.getMetadata('d')! > included!).toBe(true);
  });
});

describe('a scenario', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-scenario-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function read(text: string): ReturnType<typeof readScenario> {
    const file = join(folder, 'scenario.yaml');
    writeFileSync(file, text);
    return readScenario(file);
  }
  const take = (scenario: Scenario, seed: string, count: number) => {
    const plan = planFaults(scenario, seed);
    return Array.from({ length: count }, () => plan.next().value?.atMs);
  };

  it('is read from YAML, and has the same moments for the same seed', () => {
    const { scenario, seed } = read(`
seed: 7
faults:
  - { fault: kill, at: 5m, for: 20s }
  - { fault: refused, at: 1m, for: 20s, every: 2m, times: 3, jitter: 30s }`);
    expect(seed).toBe('7');
    const moments = take(scenario, '7', 5);
    expect(moments).toEqual(take(scenario, '7', 5));
    expect(moments).not.toEqual(take(scenario, '8', 5));
    expect(moments).toEqual([...moments].sort((a, b) => (a ?? Infinity) - (b ?? Infinity)));
    expect(moments.slice(0, 4)).toContain(300_000);
    expect(moments[4]).toBeUndefined();
    for (const [index, at] of moments
      .filter((each) => each !== 300_000)
      .slice(0, 3)
      .entries()) {
      expect(at).toBeGreaterThanOrEqual(60_000 + index * 120_000);
      expect(at).toBeLessThanOrEqual(90_000 + index * 120_000);
    }
  });

  it('is repeated if configured', () => {
    const { scenario } = read('repeat: 1m\nfaults: [{ fault: slow, at: 10s, for: 5s }]');
    expect(take(scenario, 'x', 3)).toEqual([10_000, 70_000, 130_000]);
    expect(take(read('repeat: 1m\nfaults: []').scenario, 'x', 1)).toEqual([undefined]);
  });

  it.each([
    ['faults: [{ fault: sideways, at: 1s, for: 1s }]', 'faults.0.fault'],
    ['faults: [{ fault: slow, at: 1s, for: 1s, times: 3 }]', '`times` needs `every`'],
    ['faults: [{ fault: slow, at: soon, for: 1s }]', 'must be a duration'],
    ['faults: [', 'cannot be read'],
    ['repeat: 0s\nfaults: []', 'longer than 0s'],
  ])('is refused with the reason: %s', (text, reason) => {
    expect(() => read(text)).toThrow(reason);
  });
});
