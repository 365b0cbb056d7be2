import type { DataSource } from 'typeorm';
import { Agent, fetch, request } from 'undici';
import { EventStore } from '../src/event-log/event-store.js';
import { NodeApi } from '../src/node-api/node-api.js';
import { REQUESTS_IN_FLIGHT } from '../src/observe/blocks/block-fetcher.js';
import { BlocksObserver } from '../src/observe/blocks/blocks.observer.js';
import type { BlocksState } from '../src/observe/blocks/blocks-state.js';
import { PollBook } from '../src/observe/poll-book.js';
import { NodeBudget } from '../src/observe/subject-recorder.js';
import { SystemClock } from '../src/platform/clock.js';
import { HttpClient } from '../src/platform/http.js';
import { createLogger } from '../src/platform/logger.js';
import { startBenchServer } from './support/bench-database.js';
import { startChild } from './support/child.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './support/rounds.js';

const BLOCKS = 20_000;
const ROUNDS = 3;
const GET_BLOCK = '/evnode.v1.StoreService/GetBlock';
const HEADERS = { 'content-type': 'application/json' };

export const bench: Bench = {
  about: `backfill of ${BLOCKS} blocks, verified and recorded`,
  run: async () => {
    const [node, server] = await Promise.all([
      startChild<{ port: number; bytesPerBlock: number }>('block-server.ts', { blocks: BLOCKS }),
      startBenchServer(),
    ]);
    const agent = new Agent({ connections: REQUESTS_IN_FLIGHT, pipelining: 1 });
    const http = new HttpClient();
    const url = `http://127.0.0.1:${node.ready.port}`;
    try {
      const ours = async (): Promise<number> => {
        const dataSource = await server.createDatabase();
        return wallMs(() => backfill(dataSource, http, url));
      };
      const costs = await playRounds(
        [
          { name: 'ours', run: ours },
          { name: 'request', run: () => wallMs(() => readAll((body) => requestBlock(agent, url, body))) },
          { name: 'fetch', run: () => wallMs(() => readAll((body) => fetchBlock(agent, url, body))) },
        ],
        ROUNDS,
        0,
      );
      return toFigures(costs, node.ready.bytesPerBlock);
    } finally {
      await http.close();
      await agent.close();
      await node.stop();
      await server.stop();
    }
  },
};

/** The real observer, from an empty log to the head. */
async function backfill(dataSource: DataSource, http: HttpClient, url: string): Promise<void> {
  const clock = new SystemClock();
  const node = { id: 'bench', url, record: 'none', backfillFrom: 'first' } as const;
  const store = new EventStore(dataSource);
  const observer = new BlocksObserver({
    node,
    api: new NodeApi(http, clock, node),
    store,
    clock,
    book: new PollBook(),
    budget: new NodeBudget(1e12),
    logger: createLogger('silent'),
  });
  const { signal } = new AbortController();
  while ((await observer.poll(signal)) === 0);
  const { state } = await store.loadStream('bench/blocks');
  const next = (state as BlocksState | undefined)?.lineages[0]?.next;
  if (next !== String(BLOCKS + 1)) throw new Error(`the backfill stopped before block ${next}`);
}

/** The peer: as many requests in flight, without reading the answers. */
async function readAll(read: (body: string) => Promise<unknown>): Promise<void> {
  let next = 1;
  const work = async (): Promise<void> => {
    while (next <= BLOCKS) await read(`{"height":${next++}}`);
  };
  await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, work));
}

async function requestBlock(agent: Agent, url: string, body: string): Promise<void> {
  const answer = await request(url + GET_BLOCK, {
    method: 'POST',
    body,
    headers: HEADERS,
    dispatcher: agent,
  });
  await answer.body.dump();
}

async function fetchBlock(agent: Agent, url: string, body: string): Promise<void> {
  const answer = await fetch(url + GET_BLOCK, { method: 'POST', body, headers: HEADERS, dispatcher: agent });
  await answer.arrayBuffer();
}

function toFigures(costs: ReadonlyMap<string, number[]>, bytes: number): Figure[] {
  const rate = (name: string): string => `${round(BLOCKS / (medianOf(costs, name) / 1_000))} blocks/s`;
  const against = (peer: string, name: string): Figure => ({
    what: `backfill, blocks of ${round(bytes)} B, ${REQUESTS_IN_FLIGHT} in flight, against ${name}`,
    ours: rate('ours'),
    peer: rate(peer),
    value: ratioOf(costs, peer, 'ours'),
  });
  return [
    { ...against('fetch', 'a bare fetch loop'), limit: { atLeast: 0.7 } },
    against('request', 'undici request, body dumped'),
  ];
}
