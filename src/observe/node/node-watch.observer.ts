import type { Polls, NewEvent, Subject } from '../../domain/events.js';
import type { ForeseenHealth } from '../../domain/health/health.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import type { PollBook } from '../poll-book.js';
import { StreamSession } from '../stream-session.js';
import type { SubjectObserver } from '../subject-observer.js';
import { loadForeseenHealth } from './load-foreseen-health.js';
import type { NodeStreamState } from './node-registry.js';

const CHECK_EVERY_MS = 1_000;
/** Polls that change nothing wait at most this long for an event that carries them. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Records the polls of subjects in which nothing happened, all of a node's in one `NodeWatched`. It writes at once where
 * they change the node's health, which silence does too, else once a minute. An event of a subject carries its own polls,
 * so nothing is left to write here.
 */
export class NodeWatchObserver implements SubjectObserver {
  readonly subject = 'node';
  private readonly session: StreamSession<NodeStreamState>;
  /** Undefined until it was rebuilt from the log. */
  private foreseen: ForeseenHealth | undefined;
  /** Recorded since it began to be rebuilt; undefined at all other times. */
  private meanwhile: NewEvent[] | undefined;
  private chain: string | undefined;

  constructor(
    private readonly nodeId: string,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly books: ReadonlyMap<Subject, PollBook>,
  ) {
    this.session = new StreamSession(store, `${nodeId}/node`);
  }

  /** Notes events of the node's subjects that are in the log. */
  noteRecorded(events: readonly NewEvent[]): void {
    this.foreseen?.note(events);
    this.meanwhile?.push(...events);
  }

  /** Notes the chain that the node reports: it may have thresholds of its own. */
  noteChain(chain: string | null): void {
    if (chain === null || chain === this.chain) return;
    this.chain = chain;
    this.foreseen = undefined;
  }

  async poll(): Promise<Millis> {
    if (this.unwritten().length === 0 && !this.session.isInDoubt) return CHECK_EVERY_MS;
    const { state, fresh } = await this.session.load();
    if (fresh) this.foreseen = undefined;
    // Reading back may take long; what has waited for a minute is written first.
    if (!this.foreseen && !this.mustWrite(this.clock.now())) await this.readBack(state);
    if (this.mustWrite(this.clock.now())) await this.flush();
    return CHECK_EVERY_MS;
  }

  private async readBack(state: NodeStreamState | undefined): Promise<void> {
    const chain = this.chain ?? state?.described?.chain ?? state?.settings?.chain;
    const meanwhile: NewEvent[] = [];
    this.meanwhile = meanwhile;
    try {
      const found = await loadForeseenHealth(this.store, this.nodeId, chain, {
        now: this.clock.now(),
        meanwhile,
      });
      // A node that names another chain meanwhile has other thresholds.
      if (this.chain === undefined || this.chain === chain) this.foreseen = found;
    } finally {
      this.meanwhile = undefined;
    }
  }

  /** Writes all polls that no event has carried yet; also called before a clean stop. */
  async flush(): Promise<void> {
    // Descriptions of the node go to the same stream: if a description came first, the polls are written after it.
    if (!(await this.tryFlush())) await this.tryFlush();
  }

  /** @returns false when another writer of the stream was first */
  private async tryFlush(): Promise<boolean> {
    if (this.unwritten().length === 0 && !this.session.isInDoubt) return true;
    // Polls of a failed append come back here, unless they turn out to be recorded.
    await this.session.load();
    const taken = this.unwritten();
    if (taken.length === 0) return true;
    for (const { book } of taken) book.take();
    const event: NewEvent = {
      type: 'NodeWatched',
      observedAt: lastOf(taken),
      body: { looks: looksOf(taken) },
    };
    return this.session.append([event], undefined, (isRecorded) => {
      if (isRecorded) this.foreseen?.note([event]);
      else for (const { book, looks } of taken) book.giveBack(looks);
    });
  }

  private mustWrite(now: Millis): boolean {
    const unwritten = this.unwritten();
    if (unwritten.length === 0) return false;
    if (unwritten.some(({ looks }) => now - looks.first >= LONGEST_WAIT_MS)) return true;
    return this.foreseen?.isChangedBy(looksOf(unwritten), lastOf(unwritten)) ?? false;
  }

  private unwritten(): Unwritten[] {
    return [...this.books].flatMap(([subject, book]) => {
      const looks = book.peek();
      return looks ? [{ subject, book, looks }] : [];
    });
  }
}

interface Unwritten {
  readonly subject: Subject;
  readonly book: PollBook;
  readonly looks: Polls;
}

function looksOf(unwritten: readonly Unwritten[]): Partial<Record<Subject, Polls>> {
  return Object.fromEntries(unwritten.map(({ subject, looks }) => [subject, looks]));
}

function lastOf(unwritten: readonly Unwritten[]): Millis {
  return Math.max(...unwritten.map(({ looks }) => looks.last));
}
