import type { RecordedEvent, Subject } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { LookBook } from '../../src/observe/look-book.js';
import { NodeWatchObserver } from '../../src/observe/node/node-watch.observer.js';
import { DeafStore } from '../support/deaf-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { useDatabase } from '../support/use-database.js';

describe('looks at a node in which nothing happens', () => {
  const dataSource = useDatabase();
  const store = new EventStore(dataSource);

  it('are all written down: at growing intervals, and once a minute in the end', async () => {
    const { books, events, run } = watch('quiet');
    await run(300, (second) => {
      books.get('submissions')?.note(second * 1000, second * 1000 + 7);
      if (second % 5 === 0) books.get('blocks')?.note(second * 1000);
    });
    const written = await events();
    const gaps = written
      .slice(1)
      .map((event, index) => Number(event.observedAt - (written[index]?.observedAt ?? 0n)) / 1e6);
    expect(written[0]?.observedAt).toBe(5_000_000n);
    expect(gaps.every((gap, index) => index === 0 || gap >= (gaps[index - 1] ?? 0))).toBe(true);
    expect(gaps.at(-1)).toBe(61);
    expect(written.length).toBeLessThan(12);
    expect(sum(written, 'submissions') + (books.get('submissions')?.take()?.count ?? 0)).toBe(300 + 1);
    expect(sum(written, 'blocks')).toBeGreaterThan(40);
  });

  it('cost nothing while the subjects have events of their own', async () => {
    const { books, events, run } = watch('busy');
    await run(120, (second) => {
      books.get('submissions')?.note(second * 1000);
      if (second % 3 === 0) books.get('submissions')?.take();
    });
    expect(await events()).toHaveLength(0);
  });

  it('are written with the rest when the process stops', async () => {
    const { books, events, observer } = watch('stopped');
    books.get('probes')?.note(1_000);
    await observer.flush();
    expect((await events()).map((event) => event.body)).toEqual([
      { looks: { probes: { first: 1_000, last: 1_000, count: 1, longestGapMs: 0 } } },
    ]);
  });

  it('are kept for the next time when another process was first', async () => {
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
    expect(await events()).toHaveLength(1);
    await observer.flush();
    expect((await events()).at(-1)?.body).toMatchObject({
      looks: { submissions: { first: 2_000, count: 1, longestGapMs: 1_000 } },
    });
  });

  it('are written once where only the word of it is lost', async () => {
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
    const books = new Map<Subject, LookBook>();
    for (const subject of ['submissions', 'blocks', 'probes'] as const) books.set(subject, new LookBook());
    const observer = new NodeWatchObserver(node, from, clock, books);
    return {
      books,
      observer,
      run: async (seconds: number, each: (second: number) => void) => {
        for (let second = 0; second <= seconds; second += 1) {
          each(second);
          await observer.look();
          await clock.advance(1_000);
        }
      },
      events: async () => (await store.readStreamBack(`${node}/node`, ['NodeWatched'], 1_000)).reverse(),
    };
  }

  function sum(events: readonly RecordedEvent[], subject: Subject): number {
    return events.reduce(
      (count, event) => count + (event.type === 'NodeWatched' ? (event.body.looks[subject]?.count ?? 0) : 0),
      0,
    );
  }
});
