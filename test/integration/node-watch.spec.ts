import { packIntegers } from '../../src/domain/blocks/packed-columns.js';
import type { NewEvent, RecordedEvent, Subject } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { PollBook, samePoll } from '../../src/observe/poll-book.js';
import { loadForeseenHealth } from '../../src/observe/node/load-foreseen-health.js';
import { NodeWatchObserver } from '../../src/observe/node/node-watch.observer.js';
import { DeafStore } from '../support/deaf-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { useDatabase } from '../support/use-database.js';

describe('polls of a node in which nothing happens', () => {
  const dataSource = useDatabase();
  const store = new EventStore(dataSource);

  it('are recorded once a minute while they change nothing', async () => {
    const { books, events, run } = watch('quiet');
    const registered: NewEvent = { type: 'NodeRegistered', observedAt: 0, body: { url: 'http://quiet' } };
    await store.append({ stream: 'quiet/node', expectedVersion: 0n, events: [registered] });
    await run(300, (second) => {
      books.get('submissions')?.note(second * 1000, second * 1000 + 7);
      if (second % 5 === 0) books.get('blocks')?.note(second * 1000);
    });
    const written = await events();
    const seconds = written.map(({ observedAt }) => Number(observedAt / 1_000_000n));
    // The first event records that polling has begun.
    expect(seconds).toEqual([0, 61, 122, 183, 244]);
    expect(sum(written, 'submissions') + (books.get('submissions')?.take()?.count ?? 0)).toBe(300 + 1);
    expect(sum(written, 'blocks')).toBeGreaterThan(40);
  });

  it('are recorded at once when a silence has become too long, and only then', async () => {
    const { books, events, run, tell } = watch('silent');
    await run(120, (second) => {
      const at = second * 1000;
      books.get('submissions')?.note(at);
      if (second % 5 === 0) books.get('blocks')?.note(at);
      if (second > 0 && second <= 40) tell(successAt(at, books.get('submissions')?.take()));
      if (second % 5 === 0 && second > 0 && second <= 45) tell(blocksAt(at, books.get('blocks')?.take()));
    });
    const seconds = (await events()).map(({ observedAt }) => Number(observedAt / 1_000_000n));
    // A block has waited since 45 s: slow after 3 s, silent after 15 s, each proven by the next poll.
    expect(seconds).toEqual([0, 49, 61]);
  });

  it.each([
    ['', 'followed', 0],
    [', also while events are recorded', 'busy', 1],
  ])(
    'are recorded at once by an observer that has just begun, if the polls of the previous one prove it%s',
    async (_, node, recorded) => {
      const first = watch(node);
      await first.run(1, (second) => first.books.get('probes')?.note(second * 1000));
      const change = (probe: 'reachable' | 'live', at: number, outcome: 'OK' | 'REFUSED'): NewEvent => ({
        type: 'ProbeChanged',
        observedAt: at,
        body: { looks: samePoll(at), probe, outcome, statusCode: null, detail: '', latencyMs: null },
      });
      const events = [change('reachable', 2_000, 'OK'), change('reachable', 7_000, 'REFUSED')];
      await store.append({ stream: `${node}/probes`, expectedVersion: 0n, events });
      const busy = new EventStore(dataSource);
      const readStreamBack = busy.readStreamBack.bind(busy);
      busy.readStreamBack = (...query) => {
        // During each read of the tails.
        for (let told = 0; told < recorded; told += 1) second.tell(daHead(1, 8_000));
        return readStreamBack(...query);
      };
      const second = watch(node, busy);
      await second.run(5, (after) => second.books.get('probes')?.note(8_000 + after * 1000));
      const written = (await second.events()).map(({ observedAt }) => Number(observedAt / 1_000_000n));
      // The second failed poll, and no poll has reached the node for 5 s.
      expect(written.slice(1)).toEqual([8]);
    },
  );

  it.each([
    ['and is of an unknown chain', null, 150],
    // Five blocks.
    ['by the limit of a chain that is described only now', 'strict-1', 140],
  ])(
    'are recorded at once by an observer that has just begun, when the head of a DA node is too old, %s',
    async (_, chain, second) => {
      const node = `halted-${second}`;
      const settings = { thresholds: { daNodeBehindAfterMs: 10_000 } };
      const changed = { outcome: 'OK', statusCode: 200, token: null } as const;
      const answers: NewEvent = {
        type: 'DaNodeChanged',
        observedAt: 0,
        body: { looks: samePoll(0), ...changed, detail: '' },
      };
      const heads = Array.from({ length: 30 }, (_, index) => daHead(index + 1, (index + 1) * 4_000));
      const events = [answers, ...heads];
      await store.append({ stream: `${node}/daNode`, expectedVersion: 0n, events, state: { changed } });
      const own: NewEvent = {
        type: 'ChainSettingsChanged',
        observedAt: 0,
        body: { reportingTimeZone: 'UTC', da: {}, ...settings },
      };
      if (chain !== null)
        await store.append({
          stream: `${chain}/chain`,
          expectedVersion: 0n,
          events: [own],
          state: { settings },
        });
      const { books, run, observer, events: written } = watch(node);
      await run(5, (after) => books.get('daNode')?.note(120_000 + after * 1000));
      observer.noteChain(chain);
      await run(35, (after) => books.get('daNode')?.note(126_000 + after * 1000));
      // The last head is of 120 s, and old after 30 s.
      expect((await written()).map(({ observedAt }) => Number(observedAt / 1_000_000n))).toEqual([second]);
    },
  );

  it('are recorded once a minute while the history of the node cannot be read', async () => {
    const unread = new EventStore(dataSource);
    unread.readStreamBack = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
    const { books, events, run } = watch('unread', unread);
    await run(70, (second) => books.get('submissions')?.note(second * 1000));
    expect((await events()).map(({ observedAt }) => Number(observedAt / 1_000_000n))).toEqual([60]);
  });

  it('foresee the same health whether or not an event is recorded while it is read', async () => {
    const told = [successAt(1_000), daHead(1, 2_000)];
    await store.append({ stream: 'twice/submissions', expectedVersion: 0n, events: told });
    const read = (meanwhile: readonly NewEvent[]) =>
      loadForeseenHealth(store, 'twice', undefined, { now: 3_000, meanwhile });
    expect(await read(told)).toEqual(await read([]));
    expect(await read([successAt(3_000)])).not.toEqual(await read([]));
  });

  it('are recorded with the rest when the process stops', async () => {
    const { books, events, observer } = watch('stopped');
    books.get('probes')?.note(1_000);
    await observer.flush();
    expect((await events()).map((event) => event.body)).toEqual([
      { looks: { probes: { first: 1_000, last: 1_000, count: 1, longestGapMs: 0 } } },
    ]);
  });

  it('are recorded behind what another writer of the stream wrote first, even before a stop', async () => {
    const { books, events, observer } = watch('raced');
    books.get('submissions')?.note(1_000);
    await observer.flush();
    const { version } = await store.loadStream('raced/node');
    await store.append({
      stream: 'raced/node',
      expectedVersion: version,
      events: [{ type: 'NodeRetired', observedAt: 2, body: {} }],
    });
    books.get('submissions')?.note(2_000);
    await observer.flush();
    expect((await events()).at(-1)?.body).toMatchObject({
      looks: { submissions: { first: 2_000, count: 1, longestGapMs: 1_000 } },
    });
  });

  it('are recorded once if only the acknowledgement is lost', async () => {
    const deaf = new DeafStore(dataSource);
    const { books, events, observer } = watch('unheard', deaf);
    books.get('submissions')?.note(1_000);
    deaf.isDeaf = true;
    await expect(observer.flush()).rejects.toThrow('the connection broke');
    deaf.isDeaf = false;
    books.get('submissions')?.note(2_000);
    await observer.flush();
    expect(sum(await events(), 'submissions')).toBe(2);
  });

  function watch(node: string, from = store) {
    const clock = new ManualClock(0);
    const books = new Map<Subject, PollBook>();
    for (const subject of ['submissions', 'blocks', 'probes', 'daNode'] as const)
      books.set(subject, new PollBook());
    const observer = new NodeWatchObserver(node, from, clock, books);
    return {
      books,
      observer,
      tell: (event: NewEvent) => observer.noteRecorded([event]),
      run: async (seconds: number, each: (second: number) => void) => {
        for (let second = 0; second <= seconds; second += 1) {
          each(second);
          // The loop of an observer begins again after an error.
          await observer.poll().catch(() => undefined);
          await clock.advance(1_000);
        }
      },
      events: async () => (await store.readStreamBack(`${node}/node`, ['NodeWatched'], 1_000)).reverse(),
    };
  }

  function daHead(height: number, at: number): NewEvent {
    const head = { chain: 'celestia', height: String(height), timeNs: `${at}000000`, syncTo: null };
    return {
      type: 'DaHeadObserved',
      observedAt: at,
      body: { looks: samePoll(at), ...head, sampling: null },
    };
  }

  function successAt(at: number, looks = samePoll(at)): NewEvent {
    const body = { looks, rows: ['{"status":"Success"}'] };
    return { type: 'SubmissionsObserved', observedAt: at, body } as unknown as NewEvent;
  }

  /** A block a second; all that came by 40 s are included. */
  function blocksAt(at: number, looks = samePoll(at)): NewEvent {
    const daHeights = at > 40_000 ? null : packIntegers(Array.from({ length: 5 }, () => 1n));
    const heights = { from: String(at / 1000 + 1), to: String(at / 1000 + 5), count: 5, txCounts: 1 };
    const included = { headerDaHeights: daHeights, dataDaHeights: daHeights };
    const body = { looks, chain: 'told', lineage: 1, ...heights, ...included };
    return { type: 'BlocksObserved', observedAt: at, body } as unknown as NewEvent;
  }

  function sum(events: readonly RecordedEvent[], subject: Subject): number {
    return events.reduce(
      (count, event) => count + (event.type === 'NodeWatched' ? (event.body.looks[subject]?.count ?? 0) : 0),
      0,
    );
  }
});
