import type { Subject } from '../../src/domain/events.js';
import type { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { NodeRegistry } from '../../src/observe/node/node-registry.js';
import { ObservedNodeLoops } from '../../src/observe/observed-node-loops.js';
import type { ObservedNode } from '../../src/observe/subject-observer.js';
import type { Clock } from '../../src/platform/clock.js';
import { HttpClient } from '../../src/platform/http.js';
import { createLogger } from '../../src/platform/logger.js';
import { newLoops, UNCOUNTED } from './loops.js';
import { loadRecording } from './recording.js';
import { startReplayNode } from './replay-node.js';
import { seededRandom } from './seeded-random.js';
import { VirtualClock } from './virtual-clock.js';

/** Loops per node: four subjects, its description, and polls without news. */
const LOOPS_OF_NODE = 6;

/** A recorded node, and the id under which it is observed. */
interface LivedNode {
  readonly id: string;
  readonly file: 'aggregator' | 'follower';
}

/** How a recording is played. */
export interface LivedRecording {
  readonly nodes: readonly LivedNode[];
  /** Unix milliseconds of our clock at the start; the recorded clock's when left out. */
  readonly startMs?: number;
  /** Called at each poll that saw its subject, with milliseconds since the start. */
  readonly looked?: (subject: Subject, t: number) => void;
  /** The seed of the first node's phases and jitter; each further node has the next seed. */
  readonly seed: number;
}

/** The loops of one recorded node, as a service runs them. */
export function observeRecorded(
  node: ObservedNode,
  { store, clock, http }: { readonly store: EventStore; readonly clock: Clock; readonly http: HttpClient },
  seed: number,
  more: Partial<ConstructorParameters<typeof ObservedNodeLoops>[0]> = {},
): ObservedNodeLoops {
  return new ObservedNodeLoops({
    node,
    store,
    clock,
    api: new NodeApi(http, clock, node),
    pace: { floorMs: 500, ceilingMs: 2_000 },
    bytesPerDay: 1e9,
    logger: createLogger('silent'),
    random: seededRandom(seed),
    loops: newLoops(),
    polls: UNCOUNTED,
    ...more,
  });
}

/**
 * Observes recorded nodes over HTTP from their start to the end of the longest recording, on a clock without waiting.
 *
 * @returns the start of our clock, and how long it ran, in milliseconds
 */
export async function liveThroughRecording(
  store: EventStore,
  { nodes, seed, looked, startMs = loadRecording('aggregator').startMs }: LivedRecording,
): Promise<{ startMs: number; lengthMs: number }> {
  const clock = new VirtualClock(startMs);
  const http = new HttpClient();
  const replays = await Promise.all(
    nodes.map(({ file }) => startReplayNode({ file, now: () => clock.now() - startMs })),
  );
  const observed = replays.map(({ url }, index) => {
    const node = { id: nodes[index]?.id ?? '', url, record: 'none', backfillFrom: 'first' } as const;
    const loops = observeRecorded(node, { store, clock, http }, seed + index, {
      polls: {
        ...UNCOUNTED,
        polled: (subject, outcome) => {
          if (outcome === 'ok') looked?.(subject, clock.now() - startMs);
        },
      },
    });
    return { node, loops };
  });
  for (const { node } of observed) await new NodeRegistry(store, clock).register(node);
  // The loops start one after the other: the clock then wakes them in one order, so that their draws of jitter are reproducible.
  for (const { loops } of observed) loops.start(1);
  const lengthMs = Math.max(...replays.map((replay) => replay.lengthMs));
  await clock.advance(startMs + lengthMs, LOOPS_OF_NODE * nodes.length);
  await Promise.all(observed.map(({ loops }) => loops.stop()));
  await http.close();
  await Promise.all(replays.map((replay) => replay.close()));
  return { startMs, lengthMs };
}
