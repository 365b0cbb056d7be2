import type { EventStore } from '../../../src/event-log/event-store.js';
import { NodeApi } from '../../../src/node-api/node-api.js';
import { NodeRegistry } from '../../../src/observe/node/node-registry.js';
import { ObservedNodeLoops } from '../../../src/observe/observed-node-loops.js';
import type { ObservedNode } from '../../../src/observe/subject-observer.js';
import { HttpClient } from '../../../src/platform/http.js';
import { createLogger } from '../../../src/platform/logger.js';
import { newLoops, UNCOUNTED } from '../loops.js';
import { seededRandom } from '../seeded-random.js';
import { VirtualClock } from '../virtual-clock.js';
import type { Blind } from './judge.js';
import type { Script } from './scripts/script.js';
import { Stage } from './stage.js';

/** Loops per node: four subjects, its description, and polls without news. */
const LOOPS_OF_NODE = 6;
const SETTLE_MS = 8_000;

/** How a script is played. */
export interface Life {
  readonly id: string;
  readonly script: Script;
  readonly seed: number;
  /** The start of the clock, in Unix milliseconds. */
  readonly startMs: number;
  readonly lengthMs: number;
}

/**
 * Plays a script to observers over HTTP, on a clock without waiting. In every third life the observers are killed now and then,
 * without a final entry in the log, and others replace them.
 */
export async function liveThrough(
  store: EventStore,
  { id, script, seed, startMs, lengthMs }: Life,
): Promise<{ stage: Stage; blind: readonly Blind[] }> {
  const clock = new VirtualClock(startMs);
  const random = seededRandom(seed ^ 0x5eed);
  const stage = new Stage({ id, clock, seed, lengthMs });
  const play = await script(stage);
  const end = new AbortController();
  const blind: Blind[] = [];
  let watch = await Watch.begin(store, stage, clock, random);
  const played = { isOver: false };
  const act = async (): Promise<void> => {
    try {
      await play();
    } finally {
      played.isOver = true;
      // A failed script must also sleep, or the clock would wait for it.
      await clock.sleep(Infinity, end.signal);
    }
  };
  const acting = act();
  for (const killAt of seed % 3 === 0 ? drawKills(startMs, lengthMs, random) : []) {
    await clock.advance(killAt, watch.loops + 1);
    await watch.kill();
    const from = clock.now();
    await clock.advance(from + 200 + Math.floor(random() ** 2 * 15_000), 1);
    blind.push({ from, to: clock.now() });
    watch = await Watch.begin(store, stage, clock, random);
  }
  // Scripts continue for a while after their time, to leave everything answering.
  for (let until = startMs + lengthMs; !played.isOver; until += 500) {
    await clock.advance(until, watch.loops + 1);
  }
  stage.silence();
  await clock.advance(clock.now() + SETTLE_MS, watch.loops + 1);
  await watch.stop();
  end.abort();
  await acting;
  await stage.close();
  return { stage, blind };
}

function drawKills(startMs: number, lengthMs: number, random: () => number): number[] {
  const kills: number[] = [];
  for (let at = startMs; ;) {
    at += 5_000 + Math.floor(random() * lengthMs);
    if (at > startMs + lengthMs) return kills;
    kills.push(at);
  }
}

/** All observers of a stage's nodes, as in one process. */
class Watch {
  private constructor(
    private readonly running: readonly ObservedNodeLoops[],
    private readonly http: HttpClient,
    private readonly mortal: { isDead: boolean },
  ) {}

  static async begin(
    store: EventStore,
    stage: Stage,
    clock: VirtualClock,
    random: () => number,
  ): Promise<Watch> {
    const http = new HttpClient();
    const mortal = { isDead: false };
    const shared = { clock, pace: { floorMs: 500, ceilingMs: 2_000 }, bytesPerDay: 1e9, random };
    const logger = createLogger('silent');
    const running: ObservedNodeLoops[] = [];
    for (const { id, url } of stage.addresses) {
      const direct = stage.direct.has(id) && { direct: true };
      const node: ObservedNode = {
        id,
        url,
        chain: stage.id,
        record: 'none',
        backfillFrom: 'first',
        ...direct,
      };
      await new NodeRegistry(store, clock).register(node);
      const api = new NodeApi(http, clock, node);
      const parts = { ...shared, node, api, store: untilDead(store, mortal), logger };
      running.push(new ObservedNodeLoops({ ...parts, loops: newLoops(), polls: UNCOUNTED }));
    }
    for (const loops of running) loops.start(1);
    return new Watch(running, http, mortal);
  }

  get loops(): number {
    return LOOPS_OF_NODE * this.running.length;
  }

  /** Stops gracefully. */
  async stop(): Promise<void> {
    await Promise.all(this.running.map((loops) => loops.stop()));
    await this.http.close();
  }

  /** Stops without a final entry: data not yet in the log is lost. */
  async kill(): Promise<void> {
    this.mortal.isDead = true;
    await Promise.allSettled(this.running.map((loops) => loops.stop()));
    await this.http.close();
  }
}

/** A store that accepts nothing more from dead observers. */
function untilDead(store: EventStore, mortal: { readonly isDead: boolean }): EventStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append' && mortal.isDead) return () => Promise.reject(new Error('dead'));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
