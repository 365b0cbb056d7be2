import { pino } from 'pino';
import { NodeApi } from '../../src/node-api/node-api.js';
import { ListObservations } from '../../src/observe/submissions/list-observations.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { NodeBudget } from '../../src/observe/subject-recorder.js';
import { NodeWatchObserver } from '../../src/observe/node/node-watch.observer.js';
import { SubmissionsObserver } from '../../src/observe/submissions/submissions.observer.js';
import type { ObservedNode } from '../../src/observe/subject-observer.js';
import { HttpClient } from '../../src/platform/http.js';
import { HostileWatch, rowText, rowTexts, startListNode, type ListNode } from '../support/hostile-nodes.js';
import { answerOf } from '../support/hostile-server.js';
import { ManualClock } from '../support/manual-clock.js';

const { signal } = new AbortController();

/** Polls one by one, on a clock that stops between polls, while the node does its worst. */
describe('the record of a list through an unlucky history', () => {
  let watch: HostileWatch;
  let node: ListNode;
  let observer: SubmissionsObserver;
  let watcher: NodeWatchObserver;
  let id = 'n0';
  let count = 0;
  const http = new HttpClient();
  const start = Date.now();
  let clock = new ManualClock(start);

  beforeAll(async () => {
    watch = await HostileWatch.open();
  });

  beforeEach(async () => {
    id = `n${(count += 1)}`;
    clock = new ManualClock(start);
    node = await startListNode(rows(1, 40));
    restart();
  });

  afterEach(() => node.close());

  afterAll(async () => {
    await http.close();
    await watch?.close();
  });

  /** Simulates a new process with an empty memory. */
  function restart(): void {
    const observed: ObservedNode = { id, url: node.url, record: 'none', backfillFrom: 'first' };
    const { store } = watch;
    const book = new PollBook();
    const api = new NodeApi(http, clock, observed);
    const budget = new NodeBudget(1e9);
    const parts = {
      node: observed,
      clock,
      store,
      book,
      budget,
      api,
      logger: pino({ level: 'silent' }),
      observations: new ListObservations(),
    };
    observer = new SubmissionsObserver(parts, { floorMs: 500, ceilingMs: 2_000 });
    watcher = new NodeWatchObserver(id, store, clock, new Map([['submissions', book]]));
  }

  /** Rows with times on the node's clock, a second apart. */
  function rows(from: number, to: number): string[] {
    return rowTexts(from, to, start).map((row, index) => retimed(row, from + index));
  }

  function retimed(row: string, n: number): string {
    return JSON.stringify({ ...JSON.parse(row), timestamp: new Date(start + n * 1_000 + 1).toISOString() });
  }

  /** Polls once at this second after the start; the node's clock shows the same time. */
  async function lookAt(second: number): Promise<void> {
    const at = start + second * 1_000;
    await clock.advance(Math.max(0, at - clock.now()));
    node.clockOffsetMs = at - Date.now();
    await observer.poll(signal);
  }

  async function lookWithoutLog(second: number): Promise<void> {
    await watch.dataSource.query('ALTER TABLE event RENAME TO event_away');
    await expect(lookAt(second)).rejects.toThrow('event');
    await watch.dataSource.query('ALTER TABLE event_away RENAME TO event');
  }

  async function lossesWithBounds(): Promise<unknown[]> {
    const events = await watch.events(id, 'submissions');
    return events.flatMap(({ type, body }) =>
      'minLost' in body && body.from !== null
        ? [[type, (body.from - start) / 1_000, (body.to - start) / 1_000]]
        : [],
    );
  }

  /** The number of rows whose time the read model rejects as implausible. */
  async function wildRows(): Promise<number> {
    await watch.project();
    const placed = await watch.submissions<{ wild_time: boolean }>(id, 'wild_time');
    return placed.filter(({ wild_time }) => wild_time).length;
  }

  async function register(): Promise<void> {
    const event = { type: 'NodeRegistered', observedAt: start, body: { url: node.url } } as const;
    await watch.store.append({ stream: `${id}/node`, expectedVersion: 0n, events: [event] });
  }

  it('recognises rows that changed after they were recorded, also in the next process', async () => {
    await lookAt(40);
    // Each row gets its final form one poll after it appeared.
    const final = (from: number, to: number): string[] =>
      rows(from, to).map((row) => row.replace('"Success"', '"Included"'));
    for (let newest = 41; newest <= 90; newest += 1) {
      node.rows = [...final(1, newest - 1), rows(newest, newest)[0] ?? ''];
      if (newest === 41) node.rows = [...rows(1, 39), ...final(40, 40), ...rows(41, 41)];
      else node.rows = [...rows(1, 39), ...final(40, newest - 1), ...rows(newest, newest)];
      node.rows = node.rows.slice(-20);
      await lookAt(newest);
    }
    const before = await watch.events(id, 'submissions');
    restart();
    node.rows = [...final(72, 90), ...rows(91, 91)];
    await lookAt(91);
    expect(await watch.rows(id)).toEqual(rows(1, 91));
    expect(await watch.losses(id)).toEqual(['SubmissionHistoryMissing']);
    const [last, ...more] = (await watch.events(id, 'submissions')).slice(before.length);
    expect(more).toEqual([]);
    expect(last?.body).toMatchObject({
      overlap: 19,
      altered: [{ before: rows(90, 90)[0], after: final(90, 90)[0] }],
    });
  });

  it('trusts the times of rows that arrived while an error page hid the node', async () => {
    await register();
    await lookAt(40);
    node.answers.set('/da/submissions', answerOf('<html>busy</html>', { status: 500 }));
    for (let second = 45; second <= 100; second += 5) await lookAt(second);
    node.answers.clear();
    node.rows = rows(1, 100);
    await lookAt(101);
    expect(await watch.rows(id)).toEqual(rows(1, 100));
    expect(await wildRows()).toBe(0);
  });

  it('trusts the times of rows that arrived while the log could not be written, and doubles no row', async () => {
    await register();
    await lookAt(40);
    for (let second = 50; second <= 90; second += 10) {
      node.rows = rows(1, second);
      await lookWithoutLog(second);
    }
    await lookAt(95);
    expect(await watch.rows(id)).toEqual(rows(1, 90));
    const observed = await watch.events(id, 'submissions', 'SubmissionsObserved');
    // Unrecorded polls do not count.
    expect(observed[1]?.body.looks).toMatchObject({ count: 1, longestGapMs: 55_000 });
    expect(await wildRows()).toBe(0);
  });

  it('does not use an unrecorded poll as the bound of a gap', async () => {
    await lookAt(40);
    node.rows = rows(1, 60);
    await lookWithoutLog(60);
    await watcher.flush();
    restart();
    node.rows = rows(161, 260);
    await lookAt(260);
    expect(await lossesWithBounds()).toEqual([['SubmissionWindowLost', 40, 260]]);
  });

  it('uses old answers of a cache neither as the bound of a gap nor as polls', async () => {
    await lookAt(40);
    node.rows = rows(1, 50);
    await lookAt(50);
    node.rows = rows(1, 45);
    for (let second = 60; second <= 80; second += 10) await lookAt(second);
    await watcher.flush();
    restart();
    node.rows = rows(1_061, 1_160);
    await lookAt(1_160);
    expect(await lossesWithBounds()).toEqual([['SubmissionWindowLost', 50, 1_160]]);
    expect(await watch.rows(id)).toEqual([...rows(1, 50), ...rows(1_061, 1_160)]);
    expect(await watch.events(id, 'node', 'NodeWatched')).toEqual([]);
  });

  it('ignores them also if there were so many that the list counted as unreadable', async () => {
    await lookAt(40);
    node.rows = rows(1, 50);
    await lookAt(50);
    node.rows = rows(1, 45);
    for (let second = 60; second <= 120; second += 20) await lookAt(second);
    await watcher.flush();
    await watch.project();
    const present = await watch.dataSource.query(
      `SELECT h.state, h.rule, a.state AS list, c.to_at < a.from_at AND c.unstated AS unproven
         FROM health_interval h JOIN availability_interval a USING (node) JOIN coverage_interval c USING (node)
        WHERE h.node = $1 AND h.component = 'DA' AND h.to_at IS NULL AND h.to_position IS NULL
          AND a.to_at IS NULL AND a.to_position IS NULL AND c.until_at IS NULL`,
      [id],
    );
    expect(present).toEqual([{ state: 'UNKNOWN', rule: 'invalid', list: 'INVALID', unproven: true }]);
    restart();
    node.rows = rows(1_061, 1_160);
    await lookAt(1_160);
    expect((await watch.sources(id)).map(({ state }) => state)).toEqual([
      'AVAILABLE',
      'INVALID',
      'AVAILABLE',
    ]);
    expect(await lossesWithBounds()).toEqual([['SubmissionWindowLost', 50, 1_160]]);
    expect(await watch.rows(id)).toEqual([...rows(1, 50), ...rows(1_061, 1_160)]);
  });

  it('continues from uneventful polls of the previous process', async () => {
    await lookAt(40);
    await lookAt(60);
    await watcher.flush();
    restart();
    node.rows = rows(161, 260);
    await lookAt(260);
    expect(await lossesWithBounds()).toEqual([['SubmissionWindowLost', 60, 260]]);
  });

  it('discards its poll when another process was first, and polls again', async () => {
    const mine = observer;
    await lookAt(40);
    restart();
    node.rows = rows(1, 55);
    await lookAt(55);
    observer = mine;
    node.rows = rows(1, 60);
    await lookAt(60);
    expect(await watch.rows(id)).toEqual(rows(1, 55));
    await lookAt(61);
    expect(await watch.rows(id)).toEqual(rows(1, 60));
    expect(await watch.losses(id)).toEqual(['SubmissionHistoryMissing']);
  });

  it('reads an unchanged answer again after a lost append', async () => {
    const mine = observer;
    await lookAt(40);
    node.rows = rows(1, 50);
    await lookAt(50);
    restart();
    const event = {
      type: 'SubmissionSourceChanged',
      observedAt: start,
      body: { state: 'DISABLED', detail: '' },
    } as const;
    const { version, state } = await watch.store.loadStream(`${id}/submissions`);
    await watch.store.append({
      stream: `${id}/submissions`,
      expectedVersion: version,
      events: [event],
      state: {
        ...(state as object),
        source: 'DISABLED',
      },
    });
    observer = mine;
    node.rows = rows(1, 60);
    await lookAt(60);
    await lookAt(61);
    expect(await watch.rows(id)).toEqual(rows(1, 60));
    expect((await watch.sources(id)).map(({ state: source }) => source)).toEqual([
      'AVAILABLE',
      'DISABLED',
      'AVAILABLE',
    ]);
  });

  it("measures the rows of each node behind one address by that node's clock", async () => {
    await register();
    await lookAt(40);
    const other = rowTexts(2_001, 2_100, start).map((row) => row.replace('"Success"', '"Success" '));
    node.rows = other;
    // This node's clock is an hour ahead.
    await clock.advance(1_000);
    node.clockOffsetMs = 3_600_000;
    await observer.poll(signal);
    node.rows = rows(1, 50);
    await lookAt(50);
    const switched = (await watch.events(id, 'submissions', 'SubmissionsObserved')).at(-1);
    expect(switched?.body.rows).toEqual(rows(41, 50));
    await watch.project();
    const placed = await watch.submissions<{ wild_time: boolean }>(id, 'wild_time');
    expect(placed.slice(-10)).toEqual(Array.from({ length: 10 }, () => ({ wild_time: false })));
  });

  it('keeps a row that is far too long for a log line, and continues after it', async () => {
    const ids = Array.from({ length: 30_000 }, (_, index) => index.toString(16).padStart(80, '0'));
    node.rows = [...rows(1, 40), rowText(41, { blob_ids: ids, num_blobs: 30_000 }, start)];
    await lookAt(41);
    restart();
    node.rows = [...node.rows, rowText(42, {}, start)];
    await lookAt(42);
    expect(await watch.rows(id)).toEqual(node.rows);
  });

  // `guess` in window-placement.ts counts steps between neighbours, half of which are noise here.
  it('finds the real order of a short list of header and data rows, some pairs out of order', async () => {
    const pairs = Array.from({ length: 4 }, (_, pair) =>
      [2, 1].map((n) =>
        rowText(10 * pair + n, {}, start).replace(/"timestamp":"[^"]+"/, timeOf(300 * pair + n)),
      ),
    );
    node.rows = pairs.flat();
    await lookAt(2);
    expect(await watch.rows(id)).toEqual(node.rows);
  });

  function timeOf(ms: number): string {
    return `"timestamp":"${new Date(start + ms).toISOString()}"`;
  }
});
