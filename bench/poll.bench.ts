import { Agent, request } from 'undici';
import { HttpClient } from '../src/platform/http.js';
import type { HttpResult } from '../src/platform/http-messages.js';
import { SystemClock } from '../src/platform/clock.js';
import { createLogger } from '../src/platform/logger.js';
import { SubmissionsObserver } from '../src/observe/submissions/submissions.observer.js';
import { ListObservations } from '../src/observe/submissions/list-observations.js';
import { PollBook } from '../src/observe/poll-book.js';
import { NodeBudget } from '../src/observe/subject-recorder.js';
import { encodeBody } from '../src/event-log/logged-event.js';
import type { Append, AppendResult } from '../src/event-log/commit-plan.js';
import type { EventStore } from '../src/event-log/event-store.js';
import { decodeSubmissionRow } from '../src/domain/submissions/submission-row.js';
import { NodeApi } from '../src/node-api/node-api.js';
import { NodeServer } from '../src/node-api/node-server.js';
import { NodeWitness } from '../src/node-api/node-witness.js';
import { SubmissionsClient } from '../src/node-api/submissions.client.js';
import { startChild } from './support/child.js';
import type { Bench, Figure } from './support/figures.js';
import { round } from './support/figures.js';
import { cpuMs, medianOf, playRounds, ratioOf, type Contestant } from './support/rounds.js';
import { listBody, submissionAt } from './support/submission-texts.js';

const WINDOW = 100;
/** Fresh rows per changed window: the average of live polls, and the most that the polling interval aims at. */
const FRESH = 2;
const MANY_FRESH = 8;
const WINDOWS = 200;
const ROUNDS = 15;
const START_MS = 1_790_000_000_000;

export const bench: Bench = {
  about: 'CPU of one poll of the submissions list',
  run: async () => [...(await pollWithoutHttp()), ...(await pollOverHttp())],
};

/** The window of each poll; each advances by `fresh` rows. */
function windowsOf(fresh: number): Buffer[] {
  const count = WINDOW + WINDOWS * fresh;
  const texts = Array.from({ length: count }, (_, index) => submissionAt(1, index, START_MS).text);
  return Array.from({ length: WINDOWS + 1 }, (_, index) => listBody(texts, WINDOW + index * fresh));
}

async function pollWithoutHttp(): Promise<Figure[]> {
  const changing = windowsOf(FRESH);
  const busy = windowsOf(MANY_FRESH);
  const renewed = windowsOf(WINDOW).slice(0, 12);
  // A body that has just arrived is in the processor's cache, so a few copies alternate.
  const copies = Array.from({ length: 4 }, () =>
    changing.slice(0, 1).map((body) => Buffer.from(body)),
  ).flat();
  const same = Array.from({ length: (10 * WINDOWS) / copies.length }, () => copies).flat();
  const contestants: Contestant[] = [
    parsing('parse', changing),
    polling('unchanged', same),
    polling('changed', changing),
    polling('busy', busy),
    polling('renewed', renewed),
  ];
  const costs = await playRounds(contestants, ROUNDS, 3);
  const perPoll = (name: string): string => `${round(medianOf(costs, name) * 1_000)} µs`;
  const figure = (what: string, name: string): Figure => ({
    what,
    ours: perPoll(name),
    peer: `JSON.parse ${perPoll('parse')}`,
    value: ratioOf(costs, name, 'parse'),
  });
  const kilobytes = `${round((changing[0]?.length ?? 0) / 1_000)} kB`;
  return [
    {
      ...figure(`poll, unchanged list of ${WINDOW} rows, ${kilobytes}`, 'unchanged'),
      limit: { atMost: 0.5 },
    },
    { ...figure(`poll, ${FRESH} fresh rows, decoded`, 'changed'), limit: { atMost: 2 } },
    figure(`poll, ${MANY_FRESH} fresh rows, decoded`, 'busy'),
    figure(`poll, all ${WINDOW} rows fresh (overflow), decoded`, 'renewed'),
  ];
}

function parsing(name: string, bodies: readonly Buffer[]): Contestant {
  return {
    name,
    run: () => perPoll(bodies, (body) => void JSON.parse(body.toString())),
  };
}

/** The real client and observer on answers from memory; appended events are turned into text and the rows are decoded. */
function polling(name: string, bodies: readonly Buffer[]): Contestant {
  return {
    name,
    run: async () => {
      const { observer, show } = observerOf();
      const { signal } = new AbortController();
      const poll = (body: Buffer): Promise<number> => {
        show(body);
        return observer.poll(signal);
      };
      for (const first of bodies.slice(0, 1)) await poll(first);
      return perPoll(bodies, poll);
    },
  };
}

async function perPoll(bodies: readonly Buffer[], poll: (body: Buffer) => unknown): Promise<number> {
  const total = await cpuMs(async () => {
    for (const body of bodies.slice(1)) await poll(body);
  });
  return total / (bodies.length - 1);
}

function observerOf(): { observer: SubmissionsObserver; show: (body: Buffer) => void } {
  let body: Buffer = Buffer.alloc(0);
  const request = (): Promise<HttpResult> =>
    Promise.resolve({
      kind: 'response',
      status: 200,
      contentType: 'application/json',
      body,
      truncated: false,
      latencyMs: 1,
      route: { connection: 1, isProxied: false, isAged: false },
    });
  const server = new NodeServer({ request } as unknown as HttpClient, new SystemClock(), 'http://bench');
  const version = { prefix: 'evnode.v1', findPrefix: () => Promise.resolve('evnode.v1') };
  const api = new SubmissionsClient(
    server,
    version,
    new NodeWitness(new SystemClock(), () => Promise.resolve(true)),
  );
  const observer = makeObserver(api as unknown as NodeApi, new MemoryStore() as unknown as EventStore);
  return { observer, show: (next) => (body = next) };
}

function makeObserver(api: NodeApi, store: EventStore): SubmissionsObserver {
  const node = { id: 'bench', url: 'http://bench', record: 'none', backfillFrom: 'first' } as const;
  const parts = {
    node,
    api,
    store,
    clock: new SystemClock(),
    book: new PollBook(),
    budget: new NodeBudget(1e12),
    logger: createLogger('silent'),
    observations: new ListObservations(),
  };
  return new SubmissionsObserver(parts, { floorMs: 500, ceilingMs: 2_000 });
}

/** A log that stores nothing: it does the part of an append outside the database. */
class MemoryStore {
  private version = 0n;

  loadStream(): Promise<{ version: bigint; state: unknown }> {
    return Promise.resolve({ version: this.version, state: undefined });
  }

  append({ events }: Append): Promise<AppendResult> {
    for (const event of events) {
      encodeBody(event);
      if (event.type === 'SubmissionsObserved') event.body.rows.forEach(decodeSubmissionRow);
    }
    this.version += BigInt(events.length);
    return Promise.resolve({ won: true, version: this.version });
  }
}

const POLLS = 400;
const PATH = '/da/submissions';

async function pollOverHttp(): Promise<Figure[]> {
  const server = await startChild<{ port: number }>('list-server.ts', {
    windows: POLLS + 1,
    fresh: FRESH,
  });
  const url = `http://127.0.0.1:${server.ready.port}`;
  const agent = new Agent({ pipelining: 1 });
  const http = new HttpClient();
  try {
    const bare = async (): Promise<number> =>
      cpuMs(async () => {
        for (let poll = 0; poll < POLLS; poll++) {
          const { body } = await request(`${url}/bare${PATH}`, { dispatcher: agent });
          await body.arrayBuffer();
        }
      });
    const ours =
      (kind: string) =>
      async (number: number): Promise<number> => {
        const api = new NodeApi(http, new SystemClock(), {
          url: `${url}/${kind}-${number}`,
          service: 'evnode.v1',
        });
        const observer = makeObserver(api, new MemoryStore() as unknown as EventStore);
        const { signal } = new AbortController();
        await observer.poll(signal);
        return cpuMs(async () => {
          for (let poll = 0; poll < POLLS; poll++) await observer.poll(signal);
        });
      };
    const costs = await playRounds(
      [
        { name: 'bare', run: bare },
        { name: 'unchanged', run: ours('same') },
        { name: 'changed', run: ours('changing') },
      ],
      7,
    );
    const perPoll = (name: string): string => `${round((medianOf(costs, name) / POLLS) * 1_000)} µs`;
    return ['unchanged', 'changed'].map((name) => ({
      what: `poll over HTTP, ${name === 'changed' ? `${FRESH} fresh rows` : 'unchanged list'}`,
      ours: perPoll(name),
      peer: `undici, body read ${perPoll('bare')}`,
      value: ratioOf(costs, name, 'bare'),
    }));
  } finally {
    await http.close();
    await agent.close();
    await server.stop();
  }
}
