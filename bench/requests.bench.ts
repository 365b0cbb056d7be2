import { setTimeout as sleep } from 'node:timers/promises';
import { EventStore } from '../src/event-log/event-store.js';
import { ObserverSupervisor } from '../src/observe/observer-supervisor.js';
import { SystemClock } from '../src/platform/clock.js';
import { HttpClient } from '../src/platform/http.js';
import { createLogger } from '../src/platform/logger.js';
import { loadSettings } from '../src/settings/settings.js';
import type { RequestCounts, SimulatedNode } from './node-simulator.js';
import { startBenchServer } from './support/bench-database.js';
import { startChild, type Child } from './support/child.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { newLoops, UNCOUNTED } from '../test/support/loops.js';

const SECONDS = 60;
const WARM_UP_SECONDS = 15;
const BLOCKS_BEHIND = 10_000;
const CHECK_MS = 250;
const GET_BLOCK = '/GetBlock';

export const bench: Bench = {
  about: 'requests that one node gets from us',
  run: async ({ seconds = SECONDS }) => {
    const plan: SimulatedNode[] = [
      { chainId: 'still', blocks: 20, blockTimeMs: 1_000, isStill: true },
      { chainId: 'steady', blocks: 20, blockTimeMs: 1_000 },
      { chainId: 'behind', blocks: BLOCKS_BEHIND, blockTimeMs: 1_000 },
    ];
    const [simulator, server] = await Promise.all([
      startChild<number[]>('node-simulator.ts', plan),
      startBenchServer(),
    ]);
    const http = new HttpClient();
    const store = new EventStore(await server.createDatabase());
    const supervise = (chains: readonly string[]): ObserverSupervisor => {
      const nodes = plan.flatMap(({ chainId }, index) =>
        chains.includes(chainId) ? [observed(chainId, simulator.ready[index] ?? 0)] : [],
      );
      const { poll: pace } = loadSettings({ flags: {}, env: {}, file: undefined });
      const observation = { nodes, pace, bytesPerDay: 1e12, shard: { index: 1, count: 1 } };
      const clock = new SystemClock();
      const logger = createLogger('warn');
      return new ObserverSupervisor(observation, {
        store,
        http,
        clock,
        logger,
        loops: newLoops(),
        polls: UNCOUNTED,
      });
    };
    try {
      return [
        ...(await countAtRest(supervise(['still', 'steady']), simulator, seconds)),
        ...(await countBehind(supervise(['behind']), simulator)),
      ];
    } finally {
      await http.close();
      await simulator.stop();
      await server.stop();
    }
  },
};

function observed(id: string, port: number) {
  return { id, url: `http://127.0.0.1:${port}`, record: 'none', backfillFrom: 'first' } as const;
}

async function countAtRest(
  supervisor: ObserverSupervisor,
  simulator: Child<unknown>,
  seconds: number,
): Promise<Figure[]> {
  await supervisor.start();
  await sleep(WARM_UP_SECONDS * 1_000);
  await simulator.ask('counts');
  await sleep(seconds * 1_000);
  const counts = await simulator.ask<RequestCounts>('counts');
  await supervisor.stop();
  return [
    ...toFigures('at rest, nothing happens', counts['still'], seconds),
    ...toFigures('at rest, a block a second', counts['steady'], seconds),
  ];
}

/** From first contact until every block was requested. */
async function countBehind(supervisor: ObserverSupervisor, simulator: Child<unknown>): Promise<Figure[]> {
  const total: Record<string, number> = {};
  await simulator.ask('counts');
  const startedAt = performance.now();
  await supervisor.start();
  while ((total[GET_BLOCK] ?? 0) < BLOCKS_BEHIND) {
    await sleep(CHECK_MS);
    const { behind = {} } = await simulator.ask<RequestCounts>('counts');
    for (const [path, count] of Object.entries(behind)) total[path] = (total[path] ?? 0) + count;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await supervisor.stop();
  return toFigures(`behind by ${round(BLOCKS_BEHIND)} blocks`, total, seconds);
}

function toFigures(when: string, counts: Record<string, number> = {}, seconds: number): Figure[] {
  const perMinute = (count: number): string => round((count * 60) / seconds);
  const sum = Object.values(counts).reduce((all, count) => all + count, 0);
  const each = Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([path, count]) => `${path.replace(/^\//, '')} ${perMinute(count)}`);
  return [{ what: `requests a minute, ${when}`, ours: perMinute(sum), detail: each.join(', ') }];
}
