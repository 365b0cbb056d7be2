import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { BlackHoleProxy } from '../support/black-hole-proxy.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** How long nodes are killed. */
const SECONDS = Number(process.env['HINDSIGHT_DEATHS_SECONDS'] ?? 30);
/** At least one death of each kind. */
const LEAST_DEATHS = 2;
const PATIENCE_MS = (SECONDS + 180) * 1_000;

/** Twice the longest time between two polls, and two seconds; a hanging node makes a poll last as long as it may. */
const ALLOWED_MS = 2 * 5_500 + 2_000;
const LOOK_LASTS_MS = 4_000;
/** How much longer than its node the list may remain healthy: a poll of it, and a second. */
const LIST_FOLLOWS_MS = 3_200;
/** Observations from before the death are in the answers by then. */
const SETTLED_MS = 2_500;

/** Makes all states occur within seconds. */
const THRESHOLDS =
  '{ usualKnownFrom: 3, headStillAfter: 8s, headStillUsualFactor: 5, silentAfter: 6s, frozenAfter: 8s }';

const NODES = ['agg', 'fol'] as const;
type NodeId = (typeof NODES)[number];
const COMPONENTS = ['da', 'node'] as const;

type Verdict = { readonly state: string; readonly rule: string; readonly reason: string } | null;
type Present = { readonly id: NodeId; readonly lastSeenAt: string | null } & Record<'da' | 'node', Verdict>;
type Interval = { readonly from: string; readonly to: string | null } & NonNullable<Verdict>;
type Histories = Readonly<Record<`${NodeId}_${'DA' | 'NODE'}`, readonly Interval[]>>;

const PRESENT = '{ nodes { id lastSeenAt da { state rule reason } node { state rule reason } } }';
const HISTORIES = `{ ${NODES.flatMap((id) =>
  ['DA', 'NODE'].map(
    (component) =>
      `${id}_${component}: healthHistory(node: "${id}", component: ${component}) { from to state rule reason }`,
  ),
).join(' ')} }`;

interface Death {
  readonly node: NodeId;
  readonly kind: 'killed' | 'hanging';
  readonly at: number;
  /** States of the first answer that all observations from before the death must have reached. */
  readonly states: Partial<Record<(typeof COMPONENTS)[number], string>>;
  /** The death's age when the node was first called unreachable. */
  foundAfterMs?: number;
}

describe(`nodes that die repeatedly (seed ${CHAOS_SEED})`, () => {
  const home = new ServiceHome();
  const folder = mkdtempSync(join(tmpdir(), 'deaths-'));
  const random = seededRandom(CHAOS_SEED);
  const ending = new AbortController();
  const faults: unknown[] = [];
  const told: { readonly seen: Readonly<Record<string, string | null>>; readonly histories: Histories }[] =
    [];
  const seenStates = new Set<string>();
  let database: TestDatabase | undefined;
  let service: ServiceProcess;
  let devnodes: Record<NodeId, Devnode>;
  let proxies: Record<NodeId, BlackHoleProxy>;
  let death: Death | undefined;
  let deaths = 0;
  let asked = 0;

  beforeAll(async () => {
    if (process.env['DATABASE_URL']) database = await startEmptyDatabase();
    const agg = await startDevnode({ chainId: 'deaths-1', blockTimeMs: 500, daBlockTimeMs: 1_000 });
    const fol = await startDevnode({ chainId: 'deaths-1', blockTimeMs: 500, follow: agg.url });
    devnodes = { agg, fol };
    proxies = { agg: await BlackHoleProxy.start(agg.url), fol: await BlackHoleProxy.start(fol.url) };
    const nodes = NODES.map((id) => `  - { id: ${id}, url: ${proxies[id].url}, chain: deaths-1 }`);
    const chains = ['chains:', `  - { id: deaths-1, thresholds: ${THRESHOLDS} }`];
    const file = join(folder, 'hindsight.yaml');
    writeFileSync(file, ['nodes:', ...nodes, ...chains, ''].join('\n'));
    service = home.launch(['start', '--config', file, '--port', '0'], { databaseUrl: database?.url });
    await service.ready;
    await waitFor('both nodes to be healthy', async () => {
      const healthy = (await askPresent()).filter(({ node }) => node?.state === 'HEALTHY');
      return healthy.length === NODES.length ? true : undefined;
    });
    const asking = [askAgainAndAgain(), readAgainAndAgain()];
    await killAgainAndAgain();
    ending.abort();
    await Promise.all(asking);
  }, PATIENCE_MS);

  afterAll(async () => {
    ending.abort();
    await home.clear();
    await Promise.all(NODES.map((id) => devnodes?.[id].stop()));
    await Promise.all(NODES.map((id) => proxies?.[id].stop()));
    await database?.stop();
    rmSync(folder, { recursive: true });
  }, PATIENCE_MS);

  it('are called healthy no longer than two polls take, and never again while they are dead', () => {
    expect(faults).toEqual([]);
    expect(deaths).toBeGreaterThanOrEqual(LEAST_DEATHS);
    expect(asked).toBeGreaterThan(SECONDS);
    console.info(`${deaths} deaths, ${asked} answers, found in ${[...seenStates].sort().join(', ')}`);
  });

  it('have a final history equal to the answers of each second, for the time observed by then', async () => {
    const final = await service.graphql<Histories>(HISTORIES);
    const changed = told.flatMap(({ seen, histories }) =>
      (Object.keys(final) as (keyof Histories)[]).flatMap((line) => {
        const end = seen[line.split('_')[0] ?? ''] ?? '';
        const [said, says] = [upTo(end, histories[line]), upTo(end, final[line])];
        return JSON.stringify(said) === JSON.stringify(says) ? [] : [{ line, end, said, says }];
      }),
    );
    expect(changed.slice(0, 1)).toEqual([]);
    expect(told.length).toBeGreaterThan(SECONDS / 3);
  });

  /** Intervals before a moment; an interval that lasts until then has the words of its present. */
  function upTo(end: string, intervals: readonly Interval[]): unknown[] {
    return intervals
      .filter(({ from }) => from < end)
      .map((interval) =>
        interval.to === null || interval.to >= end ? { ...interval, to: end, reason: '' } : interval,
      );
  }

  async function askPresent(): Promise<readonly Present[]> {
    return (await service.graphql<{ nodes: Present[] }>(PRESENT)).nodes;
  }

  async function askAgainAndAgain(): Promise<void> {
    while (!ending.signal.aborted) {
      const at = performance.now();
      const asOf = death;
      const nodes = await askPresent();
      asked += 1;
      for (const present of nodes) {
        seenStates.add(`${present.id} ${present.da?.rule} ${present.node?.rule}`);
        // A death that has ended meanwhile proves nothing.
        if (asOf && asOf === death && asOf.node === present.id) judge(asOf, present, at - asOf.at);
      }
      await sleep(Math.max(0, 200 - (performance.now() - at)));
    }
  }

  /** @param ageMs of the death at the time of the request */
  function judge(of: Death, present: Present, ageMs: number): void {
    if (present.node?.rule === 'unreachable') of.foundAfterMs ??= ageMs;
    for (const component of COMPONENTS) {
      const state = present[component]?.state ?? 'UNKNOWN';
      const allowed = ALLOWED_MS + (of.kind === 'hanging' ? LOOK_LASTS_MS : 0);
      const fault = { of, component, ageMs: Math.round(ageMs), verdict: present[component] };
      const isFound = ageMs - (of.foundAfterMs ?? Infinity) > LIST_FOLLOWS_MS;
      if ((ageMs > allowed || isFound) && state === 'HEALTHY') faults.push(fault);
      if (ageMs < SETTLED_MS) continue;
      const before = of.states[component];
      if (before !== undefined && before !== 'HEALTHY' && state === 'HEALTHY') faults.push(fault);
      of.states[component] = state;
    }
  }

  async function readAgainAndAgain(): Promise<void> {
    while (!ending.signal.aborted) {
      const nodes = await askPresent();
      const histories = await service.graphql<Histories>(HISTORIES);
      told.push({ seen: Object.fromEntries(nodes.map(({ id, lastSeenAt }) => [id, lastSeenAt])), histories });
      await sleep(1_000);
    }
  }

  async function killAgainAndAgain(): Promise<void> {
    // The usual block interval is known by then.
    await sleep(22_000);
    const end = performance.now() + SECONDS * 1_000;
    const troubles = [undefined, 'halted', 'down', 'hang', 'frozen', 'mempool'] as const;
    for (let turn = 0; turn < LEAST_DEATHS || performance.now() < end; turn += 1) {
      // The first trouble is one that once failed: a follower whose chain is halted.
      const trouble = turn === 0 ? troubles[1] : troubles[Math.floor(random() * troubles.length)];
      const node = turn === 0 || random() < 0.5 ? 'fol' : 'agg';
      const kind = turn % 2 === 0 ? 'killed' : 'hanging';
      if (trouble) devnodes.agg.faults.begin(trouble);
      await sleep(turn === 0 ? 30_000 : 1_000 + random() * 24_000);
      await die(node, kind);
      await sleep(6_000 + random() * 16_000);
      death = undefined;
      if (kind === 'killed') await devnodes[node].start();
      else proxies[node].hang(false);
      devnodes.agg.faults.end();
      await sleep(1_000 + random() * 9_000);
    }
  }

  async function die(node: NodeId, kind: Death['kind']): Promise<void> {
    if (kind === 'killed') await devnodes[node].kill();
    else proxies[node].hang(true);
    death = { node, kind, at: performance.now(), states: {} };
    deaths += 1;
  }
});
