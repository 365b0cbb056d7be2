import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevnodeOptions } from '../../../src/devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../../../src/devnode/devnode.js';
import type { Scenario } from '../../../src/devnode/scenario.js';
import type { EventStore } from '../../../src/event-log/event-store.js';
import { NodeApi } from '../../../src/node-api/node-api.js';
import { NodeRegistry } from '../../../src/observe/node/node-registry.js';
import { ObservedNodeLoops } from '../../../src/observe/observed-node-loops.js';
import { HttpClient } from '../../../src/platform/http.js';
import { createLogger } from '../../../src/platform/logger.js';
import { newLoops, UNCOUNTED } from '../loops.js';
import { seededRandom } from '../seeded-random.js';
import { VirtualClock } from '../virtual-clock.js';
import { Truth } from './truth.js';

/** Loops of an observed node: four subjects, its description, and polls without news. */
const LOOPS_OF_NODE = 6;
/** Loops of a devnode: blocks, headers and data to post, inclusion; and its faults, which continue while it is down. */
const LOOPS_OF_DEVNODE = { up: 5, down: 1 };
/**
 * Not a divisor of the time between DA blocks: otherwise lags would be exactly on the limit beyond which a block counts as
 * delayed.
 */
const BLOCK_TIME_MS = 937;
/** The defaults of a service. */
const PACE = { floorMs: 500, ceilingMs: 2_000 };

/** A node with known faults. */
export interface RiggedNode {
  readonly id: string;
  readonly scenario: Scenario;
  /** Id of an earlier node at whose address this node also answers: it then has no faults of its own. */
  readonly sameAs?: string;
  readonly options?: Partial<DevnodeOptions>;
}

/** Nodes, their faults, and the observed time. */
export interface RiggedLife {
  readonly nodes: readonly RiggedNode[];
  readonly startMs: number;
  readonly lengthMs: number;
  readonly kills?: readonly Kill[] | undefined;
}

/** A time without an observer, in milliseconds since the start. Data not written when it begins is lost. */
export interface Kill {
  readonly atMs: number;
  readonly forMs: number;
}

/** The log for observers that can be killed: data that they have not written by then never enters it. */
function storeOf(store: EventStore, life: { readonly isKilled: boolean }): EventStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'append' && life.isKilled) return () => Promise.reject(new Error('killed'));
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

/**
 * Runs devnodes through their scenarios and observes them over HTTP, as a service does, on a clock without waiting.
 *
 * @param startMs Unix milliseconds of the clock at the start
 * @returns the true history of each node, by its id
 */
export async function liveThroughFaults(
  store: EventStore,
  { nodes, startMs, lengthMs, kills = [] }: RiggedLife,
): Promise<ReadonlyMap<string, Truth>> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-rig-'));
  const truthFileOf = (id: string): string => join(folder, `${id}.ndjson`);
  const clock = new VirtualClock(startMs);
  const http = new HttpClient();
  const devnodes: Devnode[] = [];
  const urls = new Map<string, string>();
  for (const { id, scenario, options, sameAs } of nodes) {
    const given = {
      chainId: `${id}-1`,
      clock,
      scenario,
      truthFile: truthFileOf(id),
      blockTimeMs: BLOCK_TIME_MS,
      ...options,
    };
    if (sameAs === undefined) {
      const devnode = await startDevnode(given);
      devnodes.push(devnode);
      urls.set(id, devnode.url);
    }
  }
  const running = (observed: number): number =>
    observed * LOOPS_OF_NODE +
    devnodes.reduce((sum, { isUp }) => sum + LOOPS_OF_DEVNODE[isUp ? 'up' : 'down'], 0);
  const observe = async (untilMs: number): Promise<void> => {
    const life = { isKilled: false };
    const loops: ObservedNodeLoops[] = [];
    for (const [index, { id, sameAs }] of nodes.entries()) {
      const node = { id, url: urls.get(sameAs ?? id) ?? '', record: 'none', backfillFrom: 'first' } as const;
      await new NodeRegistry(store, clock).register(node);
      loops.push(
        new ObservedNodeLoops({
          node,
          store: storeOf(store, life),
          clock,
          api: new NodeApi(http, clock, node),
          pace: PACE,
          bytesPerDay: 1e9,
          logger: createLogger('silent'),
          random: seededRandom(26 + index),
          loops: newLoops(),
          polls: UNCOUNTED,
        }),
      );
    }
    for (const each of loops) each.start(1);
    await clock.advance(startMs + untilMs, () => running(nodes.length));
    life.isKilled = untilMs < lengthMs;
    const ended = await Promise.allSettled(loops.map((each) => each.stop()));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed && !life.isKilled) throw new Error('a loop did not stop', { cause: failed });
  };
  for (const { atMs, forMs } of kills) {
    await observe(atMs);
    await clock.advance(startMs + atMs + forMs, () => running(0));
  }
  await observe(lengthMs);
  await http.close();
  await Promise.all(devnodes.map((each) => each.stop()));
  const truths = new Map(
    [...urls.keys()].map((id) => [id, new Truth(readFileSync(truthFileOf(id), 'utf8'))]),
  );
  rmSync(folder, { recursive: true });
  return truths;
}
