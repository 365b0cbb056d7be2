import { setTimeout as sleep } from 'node:timers/promises';
import { EventStore } from '../src/event-log/event-store.js';
import { ObserverSupervisor } from '../src/observe/observer-supervisor.js';
import { SystemClock } from '../src/platform/clock.js';
import { keepHeapSmall } from '../src/platform/heap-growth.js';
import { HttpClient } from '../src/platform/http.js';
import { createLogger } from '../src/platform/logger.js';
import { openPools } from '../src/platform/pools.js';
import type { RequestCounts, SimulatedNode } from './node-simulator.js';
import { startBenchServer } from './support/bench-database.js';
import { startChild } from './support/child.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { newLoops, UNCOUNTED } from '../test/support/loops.js';

const NODES = 1_000;
const SECONDS = 120;
/** Time between two polls of a node's list; its chain makes a block, and with it new rows, at the same interval. */
const POLL_MS = 10_000;
/** First contact with all nodes ends within this time. */
const WARM_UP_SECONDS = 30;
const MEGABYTE = 1_000_000;
/** The limit of resident memory at any time. */
const MOST_MEGABYTES = 400;

export const bench: Bench = {
  about: 'many nodes observed by one process',
  run: async ({ nodes = NODES, seconds = SECONDS }) => {
    const plan = Array.from({ length: nodes }, (_, index): SimulatedNode => {
      return { chainId: `bench-${index}`, blocks: 3, blockTimeMs: POLL_MS };
    });
    const [simulator, server] = await Promise.all([
      startChild<number[]>('node-simulator.ts', plan),
      startBenchServer(),
    ]);
    keepHeapSmall();
    const http = new HttpClient();
    const { options } = await server.createDatabase();
    const pools = await openPools({ url: String((options as { url?: string }).url), role: 'observer' });
    try {
      const { appends, observer } = pools;
      if (observer === undefined) throw new Error('a process in the role observer has these pools');
      const store = new EventStore(observer.streams, { appends });
      const observed = simulator.ready.map((port, index) => ({
        id: `node-${index}`,
        url: `http://127.0.0.1:${port}`,
        record: 'none' as const,
        backfillFrom: 'first' as const,
      }));
      const supervisor = new ObserverSupervisor(
        {
          nodes: observed,
          pace: { floorMs: POLL_MS, ceilingMs: POLL_MS },
          bytesPerDay: 1e12,
          shard: { index: 1, count: 1 },
        },
        {
          store,
          http,
          clock: new SystemClock(),
          logger: createLogger('warn'),
          loops: newLoops(),
          polls: UNCOUNTED,
        },
      );
      const bare = readMemory();
      await supervisor.start();
      await sleep(WARM_UP_SECONDS * 1_000);
      await simulator.ask('counts');
      const first = readMemory();
      const position = await store.lastPosition();
      const usage = await watch(seconds);
      const counts = totalOf(await simulator.ask<RequestCounts>('counts'));
      const events = Number((await store.lastPosition()) - position);
      const last = readMemory();
      await supervisor.stop();
      return toFigures(nodes, seconds, { bare, first, last }, { ...usage, counts, events });
    } finally {
      await http.close();
      await pools.close();
      await simulator.stop();
      await server.stop();
    }
  },
};

interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/** In megabytes; the heap after a collection. */
function readMemory(): Memory {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed / MEGABYTE, rss: rss / MEGABYTE };
}

/** This process's share of a core, and its peak resident memory in megabytes. */
async function watch(seconds: number): Promise<{ share: number; peak: number }> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let peak = 0;
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1_000);
    peak = Math.max(peak, process.memoryUsage.rss() / MEGABYTE);
  }
  const { user, system } = process.cpuUsage(before);
  return { share: (user + system) / 1_000 / (performance.now() - startedAt), peak };
}

function totalOf(counts: RequestCounts): Record<string, number> {
  const total: Record<string, number> = {};
  for (const own of Object.values(counts)) {
    for (const [path, count] of Object.entries(own)) total[path] = (total[path] ?? 0) + count;
  }
  return total;
}

function toFigures(
  nodes: number,
  seconds: number,
  memory: { bare: Memory; first: Memory; last: Memory },
  watched: { share: number; peak: number; counts: Record<string, number>; events: number },
): Figure[] {
  const name = `${round(nodes)} nodes for ${seconds} s`;
  const { bare, first, last } = memory;
  const requests = Object.values(watched.counts).reduce((sum, count) => sum + count, 0);
  const polls = watched.counts['/da/submissions'] ?? 0;
  const due = (nodes * seconds * 1_000) / POLL_MS;
  const text = ({ heap, rss }: Memory): string => `heap ${round(heap)} MB, resident ${round(rss)} MB`;
  return [
    { what: `${name}: share of a core`, ours: `${round(watched.share * 100)} %` },
    {
      what: `${name}: requests, and events recorded`,
      ours: `${round(requests / seconds)}/s, ${round(watched.events / seconds)}/s`,
    },
    // A process that cannot keep up would look cheap.
    {
      what: `${name}: looks at the lists, of those due`,
      ours: round(polls / due),
      value: polls / due,
      limit: { atLeast: 0.9 },
    },
    { what: `${name}: memory before the first node`, ours: text(bare) },
    { what: `${name}: memory at the start (after first contact)`, ours: text(first) },
    { what: `${name}: memory at the end`, ours: text(last) },
    {
      what: `${name}: the most memory that was resident`,
      ours: `${round(watched.peak)} MB`,
      value: watched.peak,
      limit: { atMost: MOST_MEGABYTES },
    },
  ];
}
