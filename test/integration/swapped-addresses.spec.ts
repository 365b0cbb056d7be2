import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { NodeRegistry } from '../../src/observe/node/node-registry.js';
import { ObservedNodeLoops } from '../../src/observe/observed-node-loops.js';
import type { ObservedNode } from '../../src/observe/subject-observer.js';
import { HttpClient } from '../../src/platform/http.js';
import { createLogger } from '../../src/platform/logger.js';
import { newLoops, UNCOUNTED } from '../support/loops.js';
import { projectAll } from '../support/read-models.js';
import { seededRandom } from '../support/seeded-random.js';
import { canonicalText } from '../support/truth/hold-against-truth.js';
import { ScriptedAddress } from '../support/truth/scripted-address.js';
import { ScriptedProcess } from '../support/truth/scripted-process.js';
import { useDatabase } from '../support/use-database.js';
import { VirtualClock } from '../support/virtual-clock.js';

const START = Date.UTC(2026, 10, 21, 5);
const LOOPS_OF_NODE = 6;
/** Here, a process that reports nothing about itself has no chain. */
const CHAINS = ['one', 'two', 'three', undefined] as const;

/** Other ways to swap, which resemble these, are tried by `npm run test:long`. */
const TRIES_ALL = Number(process.env['RANDOM_LOGS'] ?? 1) > 1;

const dataSource = useDatabase();

/** Three addresses, four processes behind them, and the observers of the addresses. */
class World {
  readonly clock = new VirtualClock(START);
  readonly processes: readonly ScriptedProcess[];
  private readonly behind: (ScriptedProcess | undefined)[];
  private readonly addresses: ScriptedAddress[] = [];
  private running: ObservedNodeLoops[] = [];
  private http = new HttpClient();
  /** The processes that answer at the first address, each to every second poll of its list. */
  turns: readonly ScriptedProcess[] | undefined;
  private polls = 0;

  constructor(
    private readonly name: string,
    private readonly random: () => number,
    private readonly chains: readonly (string | undefined)[] = CHAINS,
  ) {
    this.processes = chains.map((chainId, index) => {
      const habits = chainId === undefined ? {} : { chainId };
      const process = new ScriptedProcess(`${name}/${chainId}/${index}`, this.clock, random, habits);
      return process.start().post(3).postEvery(900);
    });
    this.behind = this.processes.slice(0, 3);
  }

  async open(): Promise<void> {
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      const front = {
        processes: this.processes,
        pick: (path: string) =>
          index === 0 && this.turns ? this.takeTurn(path, this.turns) : this.behind[index],
      };
      this.addresses.push(await ScriptedAddress.open(`${this.name}-${id}`, front, this.clock));
    }
    await this.watch();
  }

  private takeTurn(path: string, turns: readonly ScriptedProcess[]): ScriptedProcess | undefined {
    if (path.startsWith('/da/submissions')) this.polls += 1;
    return turns[this.polls % turns.length];
  }

  async watch(): Promise<void> {
    const { clock, random } = this;
    const store = new EventStore(dataSource);
    this.http = new HttpClient();
    const shared = { clock, random, store, pace: { floorMs: 500, ceilingMs: 2_000 }, bytesPerDay: 1e9 };
    for (const { id, url } of this.addresses) {
      const node: ObservedNode = { id, url, record: 'none', backfillFrom: 'first' };
      await new NodeRegistry(store, clock).register(node);
      const api = new NodeApi(this.http, clock, node);
      const logger = createLogger('silent');
      this.running.push(
        new ObservedNodeLoops({ ...shared, node, api, logger, loops: newLoops(), polls: UNCOUNTED }),
      );
    }
    for (const loops of this.running) loops.start(1);
  }

  async unwatch(): Promise<void> {
    await Promise.all(this.running.map((loops) => loops.stop()));
    this.running = [];
    await this.http.close();
  }

  pass(ms: number): Promise<void> {
    return this.clock.advance(this.clock.now() + ms, LOOPS_OF_NODE * this.running.length);
  }

  /** Each address leads to another process, or to none. */
  async rotate(by: number): Promise<void> {
    for (const index of this.behind.keys()) this.behind[index] = this.processes[(index + by) % CHAINS.length];
    for (const address of this.addresses) await address.dropConnections();
  }

  async cutOff(): Promise<void> {
    this.behind.fill(undefined);
    for (const address of this.addresses) await address.dropConnections();
  }

  restart(): void {
    for (const process of this.processes) {
      process.die();
      process.start().post(2);
    }
  }

  async close(): Promise<void> {
    for (const process of this.processes) process.postEvery(undefined);
    await this.unwatch();
    await Promise.all(this.addresses.map((address) => address.close()));
  }

  /** `own`, `none` or another chain for each recorded row, with its node. */
  async rowsByChain(): Promise<{ node: string; said: string; truth: string | undefined }[]> {
    await projectAll(dataSource, ['record']);
    const chainOf = new Map(
      this.processes.flatMap(({ posted }, index) =>
        posted.map(({ text }) => [text, this.chains[index]] as const),
      ),
    );
    const chains = new Map(
      (
        await dataSource.query<{ node: string; sequence: bigint; chain: string | null }[]>(
          'SELECT n.id AS node, s.sequence, s.chain_id AS chain FROM submission s JOIN node n USING (node_key)',
        )
      ).map(({ node, sequence, chain }) => [`${node} ${sequence}`, chain]),
    );
    const found: { node: string; said: string; truth: string | undefined }[] = [];
    for (const { id } of this.addresses) {
      const events = await new EventStore(dataSource).readStreamBack(
        `${id}/submissions`,
        ['SubmissionsObserved'],
        5_000,
      );
      for (const event of events) {
        if (event.type !== 'SubmissionsObserved') continue;
        event.body.rows.forEach((row, index) => {
          const chain = chains.get(`${id} ${event.body.firstSequence + index}`) ?? null;
          const truth = chainOf.get(canonicalText(JSON.parse(row)));
          const said = chain === null ? 'none' : chain === truth ? 'own' : chain;
          found.push({ node: id, said, truth });
        });
      }
    }
    return found;
  }
}

describe('rows of chains whose addresses are swapped', () => {
  const ways = [
    ['while Hindsight runs', { isRestarted: false, isAway: false, dies: false }],
    [
      'while Hindsight is down, with processes that start again',
      { isRestarted: true, isAway: false, dies: true },
    ],
    ['during an outage in which Hindsight starts again', { isRestarted: true, isAway: true, dies: false }],
    ['while the processes start again', { isRestarted: false, isAway: false, dies: true }],
    ['while Hindsight is down', { isRestarted: true, isAway: false, dies: false }],
    ['during an outage', { isRestarted: false, isAway: true, dies: true }],
  ] as const;
  it.each(TRIES_ALL ? ways : ways.slice(0, 3))(
    'are each in their own chain or in none, %s',
    async (name, { isRestarted, isAway, dies }) => {
      const random = seededRandom(name.length);
      const world = new World(name.replaceAll(/\W+/g, '-'), random);
      await world.open();
      for (const by of [1, 2, 3, 0, 2, 1]) {
        await world.pass(4_000 + Math.floor(random() * 9_000));
        if (isAway) await world.cutOff();
        if (isAway) await world.pass(3_000);
        if (isRestarted) await world.unwatch();
        if (dies) world.restart();
        await world.rotate(by);
        if (isRestarted) await world.watch();
      }
      await world.pass(15_000);
      await world.close();
      const rows = await world.rowsByChain();
      expect(rows.filter(({ said }) => said !== 'own' && said !== 'none')).toEqual([]);
      expect(rows.filter(({ said, truth }) => truth === undefined && said === 'own')).toEqual([]);
      const named = rows.filter(({ truth }) => truth !== undefined);
      const share = named.filter(({ said }) => said === 'own').length / named.length;
      expect(named.length).toBeGreaterThan(60);
      // All lists that were shown for some seconds are named.
      expect(share).toBeGreaterThan(0.95);
    },
  );
});

describe('rows of an address with several lists of one chain that answer alternately', () => {
  it('belong to that chain, and open no list at each answer', async () => {
    const world = new World('turns', seededRandom(5), ['one', 'one', 'two', undefined]);
    world.turns = world.processes.slice(0, 2);
    await world.open();
    await world.pass(90_000);
    await world.close();
    const rows = (await world.rowsByChain()).filter(({ node }) => node === 'turns-a');
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ said }) => said !== 'own')).toEqual([]);
    const [counted] = await dataSource.query<{ lists: number; open: number }[]>(
      `SELECT count(*)::int AS lists, (count(*) FILTER (WHERE node_list.chain_id IS NULL))::int AS open
         FROM node_list JOIN node n USING (node_key) WHERE n.id = 'turns-a'`,
    );
    expect(counted).toMatchObject({ open: 0 });
    expect(counted?.lists).toBeLessThan(80);
  });
});
