import type { RequestListener } from 'node:http';
import pino from 'pino';
import type { EventType, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeApi } from '../../src/node-api/node-api.js';
import { ListObservations } from '../../src/observe/submissions/list-observations.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import type { ObservedNode } from '../../src/observe/subject-observer.js';
import {
  SubmissionsObserver,
  type SubmissionsState,
} from '../../src/observe/submissions/submissions.observer.js';
import { HttpClient } from '../../src/platform/http.js';
import { DeafStore } from '../support/deaf-store.js';
import { startHostileServer, type HostileServer } from '../support/hostile-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { useDatabase } from '../support/use-database.js';

type Of<T extends EventType> = Extract<RecordedEvent, { type: T }>;

const PACE = { floorMs: 500, ceilingMs: 2_000 };
const DAY_MS = 86_400_000;
const http = new HttpClient();
const going = new AbortController().signal;
const dataSource = useDatabase();
const store = new EventStore(dataSource);
let server: HostileServer;
let shown: string[];
let headers: Record<string, string>;
let nodes = 0;
let id: string;
let clock: ManualClock;

afterAll(() => http.close());
beforeEach(async () => {
  id = `list${++nodes}`;
  clock = new ManualClock(DAY_MS * 20_000 + 1_000);
  shown = [];
  headers = {};
  server = await startHostileServer(answerShown);
});
afterEach(() => server.close());

/** Answers `shown`, from a server whose clock is that of the test unless headers say otherwise. */
const answerShown: RequestListener = (_request, response) => {
  const date = new Date(clock.now()).toUTCString();
  response.writeHead(200, { 'content-type': 'application/json', date, ...headers });
  response.end(`{"submissions":[${shown.toReversed().join(',')}]}`);
};

/** A new process: nothing is in memory. */
function start(
  bytesPerDay = 1e9,
  from = store,
  direct?: boolean,
): { observer: SubmissionsObserver; book: PollBook; api: NodeApi } {
  const node: ObservedNode = {
    id,
    url: server.url,
    record: 'none',
    backfillFrom: 'first',
    ...(direct !== undefined && { direct }),
  };
  const book = new PollBook();
  const api = new NodeApi(http, clock, node);
  const budget = new NodeBudget(bytesPerDay);
  const observations = new ListObservations();
  const parts = {
    node,
    clock,
    store: from,
    book,
    budget,
    api,
    observations,
    logger: pino({ level: 'silent' }),
  };
  return { observer: new SubmissionsObserver(parts, PACE), book, api };
}

async function eventsOf<T extends EventType>(...types: T[]): Promise<Of<T>[]> {
  return (await store.readStreamBack(`${id}/submissions`, types, 1_000)).reverse() as Of<T>[];
}

async function rowsInLog(): Promise<string[]> {
  return (await eventsOf('SubmissionsObserved')).flatMap(({ body }) => [...body.rows]);
}

/** A row of a second, with the given number of bytes of noise. */
function row(second: number, noise = 0): string {
  const at = new Date(1_795_000_000_000 + second * 1_000).toISOString().slice(0, 19);
  const name = {
    id: `submission_${second}_${1_795_000_000 + second}`,
    height: second,
    blob_size: 100 + second,
  };
  const cells = { ...name, timestamp: `${at}.123456789Z`, status_code: 'Error', num_blobs: 1 };
  return JSON.stringify({ ...cells, ...(noise > 0 && { message: `${second} `.padEnd(noise, 'x') }) });
}

function rows(from: number, to: number, noise = 0): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => row(from + index, noise));
}

describe('a node that writes more than its daily share', () => {
  const SHARE = 1e6;

  it('has its long rows cut, each recorded once, whole or cut, even across a restart', async () => {
    let { observer } = start(SHARE);
    shown = rows(1, 8, 100_000);
    await observer.poll(going);
    shown = rows(3, 14, 100_000);
    await observer.poll(going);
    ({ observer } = start(SHARE));
    shown = rows(5, 16, 100_000);
    await observer.poll(going);
    const events = await eventsOf('SubmissionsObserved');
    expect(events.map(({ body }) => body.rows.length)).toEqual([8, 6, 2]);
    const [first, second, third] = events;
    expect(first?.body).not.toHaveProperty('cut');
    expect(first?.body.rows).toEqual(rows(1, 8, 100_000));
    // One of the six still fits.
    expect(second?.body.cut).toEqual({ rows: 5, bytes: expect.closeTo(5 * 100_000, -4) });
    expect(third?.body).toMatchObject({ overlap: 10, anchored: true, cut: { rows: 2 } });
    for (const text of third?.body.rows ?? []) {
      expect(text.length).toBeLessThan(700);
      expect(JSON.parse(text)).toMatchObject({
        status_code: 'Error',
        num_blobs: 1,
        hindsight_cut: { bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
    }
    expect(
      await eventsOf('SubmissionWindowLost', 'SubmissionRingReset', 'SubmissionOverlapAmbiguous'),
    ).toEqual([]);
  });

  it('has whole rows again on the next day', async () => {
    let { observer } = start(SHARE);
    shown = rows(1, 12, 100_000);
    await observer.poll(going);
    await clock.advance(DAY_MS);
    ({ observer } = start(SHARE));
    shown = rows(1, 13, 100_000);
    await observer.poll(going);
    const [first, second] = await eventsOf('SubmissionsObserved');
    expect(first?.body.cut?.rows).toBe(3);
    expect(second?.body.rows).toEqual([row(13, 100_000)]);
  });

  it('is polled less often, and of a flood of rows the newest are recorded and the others counted', async () => {
    const { observer } = start(SHARE);
    shown = rows(1, 1_200, 500);
    expect(await observer.poll(going)).toBeLessThan(60_000);
    shown = rows(1_000, 3_700, 500);
    const pauseMs = await observer.poll(going);
    const [lost] = await eventsOf('SubmissionWindowLost');
    expect(lost?.body).toMatchObject({ after: 1_200, minLost: 1_500, maxLost: 1_500 });
    expect((await rowsInLog()).slice(1_200)).toEqual(rows(2_701, 3_700, 500));
    // Beyond the share, the log grows by at most the share in a day.
    const bytes = (await rowsInLog()).join('').length;
    expect(pauseMs).toBeGreaterThanOrEqual(((bytes - SHARE) / SHARE) * DAY_MS);
    shown = rows(1_002, 3_702, 500);
    await start(SHARE).observer.poll(going);
    expect((await rowsInLog()).slice(2_200)).toEqual(rows(3_701, 3_702, 500));
  });
});

describe('a list that a cache in front of the node holds back', () => {
  it('counts as a list that cannot be read once it has returned nothing new for half a minute', async () => {
    const { observer, book } = start();
    shown = rows(1, 3);
    await observer.poll(going);
    shown = rows(1, 5);
    await observer.poll(going);
    shown = rows(1, 3);
    for (let second = 0; second < 40; second += 1) {
      await clock.advance(1_000);
      await observer.poll(going);
    }
    const states = async () =>
      (await eventsOf('SubmissionSourceChanged')).map(({ body, observedAt }) => [
        body.state,
        Number(observedAt / 1_000n) - DAY_MS * 20_000,
      ]);
    expect(await states()).toEqual([
      ['AVAILABLE', 1_000],
      ['INVALID', 32_000],
    ]);
    // The later polls are polls of a list that cannot be read; the earlier ones proved nothing and do not count.
    expect(book.peek()?.count).toBe(9);
    shown = rows(1, 6);
    await clock.advance(1_000);
    await observer.poll(going);
    expect((await states()).at(-1)).toEqual(['AVAILABLE', 42_000]);
    expect(await rowsInLog()).toEqual(rows(1, 6));
  });
});

describe('a list that was seen empty', () => {
  const FROM = DAY_MS * 20_000;

  /** Gaps, as seconds of the test: from the previous poll to the poll that found them. */
  async function holes(): Promise<[from: number | null, to: number][]> {
    const found = await eventsOf('SubmissionRingReset', 'SubmissionOverlapAmbiguous', 'SubmissionWindowLost');
    return found.map(({ body }) => [
      body.from === null ? null : (body.from - FROM) / 1_000,
      (body.to - FROM) / 1_000,
    ]);
  }

  /** Sees three rows, then none. */
  async function startEmptied(): Promise<ReturnType<typeof start>> {
    const started = start();
    shown = rows(1, 3);
    await started.observer.poll(going);
    shown = [];
    await clock.advance(2_000);
    await started.observer.poll(going);
    expect(await holes()).toEqual([[1, 3]]);
    return started;
  }

  it('continues without a gap while it is polled', async () => {
    const { observer } = await startEmptied();
    for (let look = 0; look < 5; look += 1) {
      await clock.advance(2_000);
      await observer.poll(going);
    }
    shown = rows(10, 12);
    await clock.advance(2_000);
    await observer.poll(going);
    expect(await holes()).toHaveLength(1);
    expect(await rowsInLog()).toEqual([...rows(1, 3), ...rows(10, 12)]);
  });

  it('continues without a gap over a time in which its process lived, and with a gap before another process', async () => {
    const { observer } = await startEmptied();
    await clock.advance(20_000);
    await observer.poll(going);
    await clock.advance(600_000);
    shown = rows(21, 23);
    await start().observer.poll(going);
    expect(await holes()).toEqual([
      [1, 3],
      [3, 623],
    ]);
    const told = await eventsOf('SubmissionRingReset');
    expect(told.map(({ body }) => [body.after, body.minLost, body.maxLost, body.ring])).toEqual([
      [3, 0, null, 1],
      [3, 0, null, 2],
    ]);
    const [, seen] = await eventsOf('SubmissionsObserved');
    expect(seen?.body).toMatchObject({ anchored: false, ring: 2, rows: rows(21, 23) });
  });

  it('continues over a poll that failed on the same connection, and has a gap up to the next connection', async () => {
    const { observer } = await startEmptied();
    server.answerWith((_request, response) => response.writeHead(502).end());
    await clock.advance(1_000);
    await observer.poll(going);
    server.answerWith(answerShown);
    await clock.advance(1_000);
    await observer.poll(going);
    expect((await holes()).slice(1)).toEqual([]);
    const { port } = new URL(server.url);
    await server.close();
    server = await startHostileServer(answerShown, Number(port));
    await clock.advance(1_000);
    await observer.poll(going);
    expect((await holes()).slice(1)).toEqual([]);
    // The second poll over a connection that stays open proves what came since the first.
    for (let look = 0; look < 3; look += 1) {
      await clock.advance(1_000);
      await observer.poll(going);
    }
    const [[from, to] = [], ...more] = (await holes()).slice(1);
    expect([from, more]).toEqual([5, []]);
    expect([6, 7]).toContain(to);
  });

  it.each([
    // The answer with which it begins came over the connection that was open before.
    ['the server closes each connection', { connection: 'close' }, 4],
    ['a proxy answers', { via: '1.1 proxy' }, 3],
  ])('has one gap that grows while %s, not one gap for each poll', async (_why, sent, provenTo) => {
    const { observer } = await startEmptied();
    headers = sent;
    for (let look = 0; look < 20; look += 1) {
      await clock.advance(1_000);
      await observer.poll(going);
    }
    expect((await holes()).slice(1)).toEqual([]);
    shown = rows(20, 22);
    await clock.advance(1_000);
    await observer.poll(going);
    expect((await holes()).slice(1)).toEqual([[provenTo, 24]]);
    // Rows prove the time between them and the next rows.
    shown = rows(20, 24);
    await clock.advance(1_000);
    await observer.poll(going);
    expect(await holes()).toHaveLength(2);
    expect(await rowsInLog()).toEqual([...rows(1, 3), ...rows(20, 24)]);
  });

  it('continues behind a proxy if the settings say that nothing is in between', async () => {
    const { observer } = start(1e9, store, true);
    headers = { via: '1.1 proxy' };
    for (const rowsThen of [[], [], [], rows(8, 9)]) {
      shown = rowsThen;
      await clock.advance(1_000);
      await observer.poll(going);
    }
    expect(await holes()).toEqual([]);
    const [seen] = await eventsOf('SubmissionsObserved');
    expect(seen?.body).toMatchObject({ anchored: true, rows: rows(8, 9) });
  });
});

describe('answers that a cache has kept', () => {
  const FROM = DAY_MS * 20_000;

  it.each([
    // The header has whole seconds: within two of them it proves no cache.
    ['whose `Date` stands still', () => ({ date: new Date(FROM + 1_000).toUTCString() }), 3],
    ['that tell their age', () => ({ age: '1' }), 1],
  ])('%s count as no poll', async (_what, kept, provenTo) => {
    const { observer, book } = start();
    shown = rows(1, 3);
    await observer.poll(going);
    headers = kept();
    for (let look = 0; look < 15; look += 1) {
      await clock.advance(1_000);
      await observer.poll(going);
    }
    expect(book.peek()?.count ?? 0).toBe(provenTo - 1);
    // Meanwhile the node behind the cache has restarted.
    headers = {};
    shown = rows(12, 14);
    await clock.advance(1_000);
    await observer.poll(going);
    const [reset] = await eventsOf('SubmissionRingReset');
    expect([reset?.body.from, reset?.body.to]).toEqual([FROM + provenTo * 1_000, FROM + 17_000]);
  });
});

describe('an address with several lists behind it', () => {
  it('reports once that a list was not replaced, and then has no event and no gap for a switch between lists', async () => {
    const { observer, book } = start();
    const lists = [rows(1, 5), rows(101, 105)];
    for (let look = 0; look < 12; look += 1) {
      shown = lists[look % 2] ?? [];
      await observer.poll(going);
      await clock.advance(1_000);
    }
    expect((await eventsOf()).map(({ type }) => type)).toEqual([
      'SubmissionSourceChanged',
      'SubmissionHistoryMissing',
      'SubmissionsObserved',
      'SubmissionRingReset',
      'SubmissionsObserved',
      'SubmissionRingSwitched',
    ]);
    const seen = book.peek()?.lists ?? [];
    const from = DAY_MS * 20_000 + 1_000;
    expect(seen.map(({ list, last }) => [list, last - from])).toEqual([
      [1, 11_000],
      [0, 10_000],
    ]);
    expect(seen.every(({ since, last }) => last > since)).toBe(true);
  });
});

describe('an append whose acknowledgement is lost', () => {
  it('stores each row and each poll in the log once', async () => {
    const deaf = new DeafStore(dataSource);
    const { observer, book } = start(1e9, deaf);
    shown = rows(1, 2);
    await observer.poll(going);
    shown = rows(1, 3);
    deaf.isDeaf = true;
    await expect(observer.poll(going)).rejects.toThrow('the connection broke');
    deaf.isDeaf = false;
    shown = rows(1, 4);
    await observer.poll(going);
    expect(await rowsInLog()).toEqual(rows(1, 4));
    const looks = (await eventsOf()).map(({ body }) =>
      'looks' in body ? (body.looks as { count: number }).count : 0,
    );
    expect(looks.reduce((sum, count) => sum + count, 0) + (book.peek()?.count ?? 0)).toBe(3);
  });
});

describe('the state that an observer keeps with its stream', () => {
  it('is read as the previous version wrote it, and adds only members that the previous version ignores', async () => {
    const { observer } = start();
    shown = rows(1, 3);
    await observer.poll(going);
    const stream = `${id}/submissions`;
    const { version, state } = await store.loadStream(stream);
    const { ring, source, ...added } = state as SubmissionsState;
    const lastLook = clock.now();
    expect(Object.keys(added).sort()).toEqual(['ends', 'lists', 'spent']);
    const windows = ring?.windows.map(({ source: list, ring: resets, length }) => ({
      source: list,
      ring: resets,
      length,
    }));
    await store.append({
      stream,
      expectedVersion: version,
      events: [],
      state: { ring: { ...ring, windows }, source, lastLook },
    });
    shown = rows(1, 4);
    await start().observer.poll(going);
    expect(await rowsInLog()).toEqual(rows(1, 4));
    // The previous version knew a single time for all lists: a gap begins there.
    const { version: now } = await store.loadStream(stream);
    const before = { ring: { ...ring, windows, sequence: 4 }, source, lastLook };
    await store.append({ stream, expectedVersion: now, events: [], state: before });
    await clock.advance(60_000);
    shown = rows(60, 61);
    await start().observer.poll(going);
    const [reset] = await eventsOf('SubmissionRingReset');
    expect([reset?.body.from, reset?.body.to]).toEqual([lastLook, lastLook + 60_000]);
  });
});

describe('the first answer after a restart', () => {
  it('is no reason to doubt a list that has not been polled for long', async () => {
    shown = [row(1), row(2)];
    const { observer } = start();
    await observer.poll(going);
    await clock.advance(3_600_000);
    const { observer: next } = start();
    await next.poll(going);
    await clock.advance(2_000);
    await next.poll(going);
    const states = (await eventsOf('SubmissionSourceChanged')).map(({ body }) => body.state);
    expect(states).toEqual(['AVAILABLE']);
  });

  it('is reported as old once its date has not changed for half a minute', async () => {
    shown = [row(1), row(2)];
    await start().observer.poll(going);
    await clock.advance(3_600_000);
    headers = { date: new Date(clock.now()).toUTCString() };
    const { observer } = start();
    const restartedAt = clock.now();
    for (let second = 0; second < 35; second += 1) {
      await observer.poll(going);
      await clock.advance(1_000);
    }
    const [, stale] = await eventsOf('SubmissionSourceChanged');
    expect([stale?.body.state, Number((stale?.observedAt ?? 0n) / 1_000n) - restartedAt]).toEqual([
      'INVALID',
      31_000,
    ]);
  });
});
