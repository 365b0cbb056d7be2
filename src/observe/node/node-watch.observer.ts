import type { NewEvent, Subject } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import type { LookBook } from '../look-book.js';
import { Silence } from './silence.js';
import { StreamSession } from '../stream-session.js';
import type { SubjectObserver } from '../subject-observer.js';

const CHECK_EVERY_MS = 1_000;

/**
 * Writes down the looks at subjects in which nothing happened, all of a node's in one `NodeWatched`.
 * An event of a subject carries its looks itself; then there is nothing left to write here.
 */
export class NodeWatchObserver implements SubjectObserver {
  readonly subject = 'node';
  private readonly session: StreamSession<never>;
  private readonly subjects: readonly { subject: Subject; book: LookBook; silence: Silence }[];

  constructor(
    nodeId: string,
    store: EventStore,
    private readonly clock: Clock,
    books: ReadonlyMap<Subject, LookBook>,
  ) {
    this.session = new StreamSession(store, `${nodeId}/node`);
    this.subjects = [...books].map(([subject, book]) => ({ subject, book, silence: new Silence(book) }));
  }

  async look(): Promise<Millis> {
    const now = this.clock.now();
    const over = this.subjects.map(({ silence }) => silence.isOver(now));
    if (over.includes(true) || this.session.isInDoubt) await this.flush();
    return CHECK_EVERY_MS;
  }

  /** Writes all looks that no event has carried yet; also called before a clean stop. */
  async flush(): Promise<void> {
    const isAnyUnwritten = this.subjects.some(({ book }) => book.unwrittenSince !== undefined);
    if (!isAnyUnwritten && !this.session.isInDoubt) return;
    // Looks of an append that failed come back here, or are known to be written.
    await this.session.load();
    const taken = this.subjects.flatMap(({ subject, book, silence }) => {
      const looks = book.peek() && book.take();
      if (!looks) return [];
      silence.noteWritten();
      return [{ subject, book, looks }];
    });
    if (taken.length === 0) return;
    const event: NewEvent = {
      type: 'NodeWatched',
      observedAt: Math.max(...taken.map(({ looks }) => looks.last)),
      body: { looks: Object.fromEntries(taken.map(({ subject, looks }) => [subject, looks])) },
    };
    await this.session.append([event], undefined, (isRecorded) => {
      if (isRecorded) return;
      for (const { book, looks } of taken) book.giveBack(looks);
    });
  }
}
