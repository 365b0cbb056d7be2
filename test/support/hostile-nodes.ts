import { request as httpRequest, type RequestListener, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { EventType, RecordedEvent, Subject } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { verifyLog } from '../../src/event-log/verify-log.js';
import { ObserverSupervisor } from '../../src/observe/observer-supervisor.js';
import type { ObservedNode } from '../../src/observe/subject-observer.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { HttpClient } from '../../src/platform/http.js';
import { startTestDatabase } from './database.js';
import { startHostileServer } from './hostile-server.js';
import { newLoops, UNCOUNTED } from './loops.js';
import { projectAll } from './read-models.js';

type EventOf<T extends EventType> = Extract<RecordedEvent, { type: T }>;

/** The polling intervals of the lists. */
const PACE = { floorMs: 100, ceilingMs: 400 };
/** Long enough for a busy machine. */
const PATIENCE_MS = 120_000;
/** Each check reads the whole record. */
const PAUSE_MS = 150;
const ENOUGH_ROWS = 8;
/** A minute or more on an idle machine. */
const MOST_STEPS = 1_000;

/** A database, and supervisors that record nodes into it as the service does. */
export class HostileWatch {
  private supervisors: ObserverSupervisor[] = [];
  private readonly clock = new SystemClock();

  private constructor(
    private readonly database: { url: string; stop(): Promise<void> },
    readonly dataSource: DataSource,
    readonly store: EventStore,
    private readonly http = new HttpClient(),
  ) {}

  static async open(): Promise<HostileWatch> {
    const database = await startTestDatabase();
    const dataSource = await createDataSource({ url: database.url }).initialize();
    return new HostileWatch(database, dataSource, new EventStore(dataSource));
  }

  /** Starts to monitor nodes with a separate store, as another process would. */
  async watch(urls: Readonly<Record<string, string>>): Promise<ObserverSupervisor> {
    const nodes = Object.entries(urls).map(([id, url]): ObservedNode => ({
      id,
      url,
      record: 'none',
      backfillFrom: 'first',
    }));
    const plan = { nodes, pace: PACE, bytesPerDay: 1e9, shard: { index: 1, count: 1 } };
    const logger = pino({ level: 'silent' });
    const store = new EventStore(this.dataSource);
    const supervisor = new ObserverSupervisor(plan, {
      store,
      http: this.http,
      clock: this.clock,
      logger,
      loops: newLoops(),
      polls: UNCOUNTED,
    });
    this.supervisors.push(supervisor);
    await supervisor.start();
    return supervisor;
  }

  /** Stops every supervisor gracefully. */
  async stopWatching(): Promise<void> {
    await Promise.all(this.supervisors.splice(0).map((supervisor) => supervisor.stop()));
  }

  async close(): Promise<void> {
    await this.stopWatching();
    await this.http.close();
    await this.dataSource.destroy();
    await this.database.stop();
  }

  /** Events of a stream `<node>/<subject>`, oldest first; of all types unless some are named. */
  async events<T extends EventType>(
    node: string,
    subject: Subject | 'node' | 'chain',
    ...types: T[]
  ): Promise<EventOf<T>[]> {
    const events = await this.store.readStreamBack(`${node}/${subject}`, types, 100_000);
    return events.reverse() as EventOf<T>[];
  }

  /** The recorded rows of a node, in their order. */
  async rows(node: string): Promise<string[]> {
    const events = await this.events(node, 'submissions', 'SubmissionsObserved');
    return events.flatMap(({ body }) => body.rows);
  }

  /** Recorded gaps of a node's list, by the type of their events. */
  async losses(node: string): Promise<EventType[]> {
    const events: RecordedEvent[] = await this.events(node, 'submissions');
    return events.filter(({ body }) => 'minLost' in body).map(({ type }) => type);
  }

  /** The recorded states of a node's list. */
  async sources(node: string): Promise<{ state: string; detail: string; evidence?: string }[]> {
    const events = await this.events(node, 'submissions', 'SubmissionSourceChanged');
    return events.map(({ body }) => body);
  }

  /** Builds every read model from the log, and verifies the log's hash chains. */
  async project(): Promise<void> {
    await projectAll(this.dataSource);
    const { fault } = await verifyLog(this.dataSource, () => undefined);
    if (fault) throw new Error(`${fault.stream} ${fault.version}: ${fault.what}`);
  }

  /** Rows of the read model of submissions, by sequence. */
  submissions<Row>(node: string, columns: string): Promise<Row[]> {
    return this.dataSource.query(
      `SELECT ${columns} FROM submission JOIN node USING (node_key) WHERE node.id = $1 ORDER BY sequence`,
      [node],
    );
  }

  /** Waits until new rows and blocks of a well-behaved node are recorded. */
  async seesProgressOf(node: string, devnode: Devnode): Promise<void> {
    const made = () => Number(devnode.chain.head?.header.height ?? 0);
    const before = (await this.rows(node)).length;
    await untilGrown(async () => (await this.rows(node)).length, before + ENOUGH_ROWS, made);
    await untilGrown(async () => Number(await this.lastHeight(node)), made(), made);
  }

  /**
   * Stops a well-behaved node and checks its record. Every row of its list is recorded in order, with no duplicate and no loss,
   * and its blocks have no gap.
   */
  async recordOf(node: string, devnode: Devnode): Promise<{ faults: string[] }> {
    devnode.faults.begin('halted');
    const faults: string[] = [];
    const shown = (): string[] =>
      devnode.ring
        .list()
        .map((row) => JSON.stringify(row))
        .toReversed();
    const isWhole = async (): Promise<boolean> => {
      const list = shown();
      return list.join() === (await this.rows(node)).slice(-list.length).join();
    };
    // Earlier blocks are still on their way to the list, and from there to the record.
    await until(isWhole).catch(() => faults.push('rows differ from the list'));
    const rows = await this.rows(node);
    if (faults.length > 0)
      faults.push(
        `the list shows the recorded rows ${shown()
          .map((row) => rows.indexOf(row))
          .join()}`,
      );
    const heights = (await this.events(node, 'blocks', 'BlocksObserved')).map(({ body }) => body);
    if (new Set(rows).size !== rows.length) faults.push('a row is recorded twice');
    if ((await this.losses(node)).join() !== 'SubmissionHistoryMissing') faults.push('a loss was recorded');
    if (heights.some(({ from }, at) => BigInt(from) !== (at ? BigInt(heights[at - 1]?.to ?? 0) + 1n : 1n)))
      faults.push('blocks are missing or double');
    return { faults };
  }

  private async lastHeight(node: string): Promise<bigint> {
    const [last] = await this.store.readStreamBack(`${node}/blocks`, ['BlocksObserved'], 1);
    return last?.type === 'BlocksObserved' ? BigInt(last.body.to) : 0n;
  }
}

/**
 * Starts a well-behaved node, and waits for its first rows. Its blocks are empty, so that its list holds headers only. Pairs of
 * rows of one moment, sometimes out of order, would leave the direction of a short list open.
 */
export async function startGoodNode(): Promise<Devnode> {
  const options = { chainId: 'good-1', blockTimeMs: 100, daBlockTimeMs: 150, txsPerBlock: 0 };
  const devnode = await startDevnode(options);
  await until(() => devnode.ring.list().length >= ENOUGH_ROWS);
  return devnode;
}

/** Waits until a condition holds; fails after two minutes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not so after ${PATIENCE_MS} ms: ${isSo.toString()}`);
    await sleep(PAUSE_MS);
  }
}

/**
 * Waits until a count reaches a goal. It also works on a slow machine: it gives up only if the count did not change over many
 * steps of the monitored node.
 *
 * @param stepsOf the number of steps (answers, blocks) of the node so far
 */
export async function untilGrown(
  countOf: () => Promise<number>,
  goal: number,
  stepsOf: () => number,
): Promise<void> {
  let last = { count: -1, steps: stepsOf() };
  for (;;) {
    const count = await countOf();
    if (count >= goal) return;
    if (count > last.count) last = { count, steps: stepsOf() };
    const waited = stepsOf() - last.steps;
    if (waited > MOST_STEPS) throw new Error(`stood at ${count} of ${goal} over ${waited} steps of the node`);
    await sleep(PAUSE_MS);
  }
}

/** A node with only a list of submissions, whose every row the test decides. */
export interface ListNode {
  readonly url: string;
  /** The rows of its list, oldest first; tests may replace them. */
  rows: readonly string[];
  newestFirst: boolean;
  /** Its clock minus ours; null: it sends no `Date`. */
  clockOffsetMs: number | null;
  /** How often its list was requested. */
  asked: number;
  /** Replacement answers, by path. */
  readonly answers: Map<string, RequestListener>;
  /** Resolves when a poll that began after this call was answered, and its result had time to be recorded. */
  looked(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a list node with rows. */
export async function startListNode(rows: readonly string[] = []): Promise<ListNode> {
  const server = await startHostileServer((request, response) => {
    const path = request.url ?? '';
    response.sendDate = false;
    if (node.clockOffsetMs !== null) {
      response.setHeader('date', new Date(Date.now() + node.clockOffsetMs).toUTCString());
    }
    const answer = node.answers.get(path);
    if (path === '/da/submissions') node.asked += 1;
    if (answer) return answer(request, response);
    if (path === '/da/submissions') return sendList(node, response);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
  });
  const node: ListNode = {
    url: server.url,
    rows,
    newestFirst: true,
    clockOffsetMs: 0,
    asked: 0,
    answers: new Map(),
    // Later requests prove that the answer to a request after this call was processed.
    looked: async () => {
      const { asked } = node;
      await until(() => node.asked >= asked + 3);
    },
    close: () => server.close(),
  };
  return node;
}

function sendList({ rows, newestFirst }: ListNode, response: ServerResponse): void {
  const sent = newestFirst ? rows.toReversed() : rows;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"submissions":[${sent.join(',')}],"total":${rows.length}}`);
}

/** A row as the real node writes it: `n` identifies it, and its time is `n` times ten milliseconds after `fromMs`. */
export function rowText(n: number, more: Record<string, unknown> = {}, fromMs = Date.now() - 60_000): string {
  const atMs = fromMs + n * 10;
  const fraction = String(n).padStart(6, '0');
  return JSON.stringify({
    id: `submission_${1_000 + n}_${Math.floor(atMs / 1000)}`,
    height: 1_000 + n,
    blob_size: 350,
    timestamp: new Date(atMs).toISOString().replace('Z', `${fraction}Z`),
    gas_price: 0,
    status_code: 'Success',
    num_blobs: 2,
    ...more,
  });
}

/** The rows `from` to `to` of a list. */
export function rowTexts(from: number, to: number, fromMs?: number): string[] {
  const start = fromMs ?? Date.now() - 60_000;
  return Array.from({ length: to - from + 1 }, (_, index) => rowText(from + index, {}, start));
}

/** An address behind which one of several servers answers, chosen by a test or a balancer. */
export interface SharedAddress {
  readonly url: string;
  /** The server that answers from now on; `TURNS`: a different one each time. */
  answers: number | 'TURNS';
  /** The number of requests. */
  asked(): number;
  close(): Promise<void>;
}

export async function startSharedAddress(
  targets: readonly { readonly url: string }[],
): Promise<SharedAddress> {
  let turn = 0;
  const server = await startHostileServer((request, response) => {
    turn += 1;
    const index = address.answers === 'TURNS' ? turn % targets.length : address.answers;
    const { method = 'GET', headers } = request;
    const onward = httpRequest(`${targets[index]?.url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  const address: SharedAddress = {
    url: server.url,
    answers: 0,
    asked: () => turn,
    close: () => server.close(),
  };
  return address;
}
