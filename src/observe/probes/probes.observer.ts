import type { Millis, NewEvent, ProbeName } from '../../domain/events.js';
import { isProbeNews, reachabilityOf, toProbeFact, type ProbeFact } from '../../domain/probe-facts.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import type { LookBook } from '../look-book.js';
import { ProbeMinute } from './probe-minute.js';
import { StreamSession } from '../stream-session.js';
import type { SubjectObserver } from '../subject-observer.js';

/** What each probe gave when it was last recorded. */
type ProbesState = Partial<Record<ProbeName, ProbeFact>>;

const EVERY_MS = 5_000;
const WHILE_DOWN_MS = 1_000;
const AFTER_LOST_APPEND_MS = 200;

/** Records whether a node can be reached, calls itself live and ready, and has caught up; and how fast it answers. */
export class ProbesObserver implements SubjectObserver {
  readonly subject = 'probes';
  private readonly session: StreamSession<ProbesState>;
  private minute = new ProbeMinute();

  constructor(
    private readonly parts: {
      readonly node: { readonly id: string };
      readonly api: NodeApi;
      readonly store: EventStore;
      readonly clock: Clock;
      readonly book: LookBook;
    },
  ) {
    this.session = new StreamSession(parts.store, `${parts.node.id}/probes`);
  }

  async look(signal: AbortSignal): Promise<number> {
    const { state = {} } = await this.session.load();
    const { api, clock, book } = this.parts;
    const [live, ready, status] = await Promise.all([
      api.live(signal),
      api.ready(signal),
      api.status(signal),
    ]);
    if (signal.aborted) {
      return EVERY_MS;
    }
    const now = clock.now();
    // A node that is down was looked at all the same.
    book.note(now, live.nodeClock ?? ready.nodeClock);
    const facts: [ProbeName, ProbeFact][] = [
      ['reachable', reachabilityOf(live, ready)],
      ['live', toProbeFact(live)],
      ['ready', toProbeFact(ready)],
    ];
    if (status) {
      facts.push(['status', { ...toProbeFact(status), catchingUp: status.catchingUp }]);
    }
    for (const [probe, fact] of facts) {
      this.minute.add(probe, fact, now);
    }
    const recorded = await this.record(state, facts, now);
    const isDown = facts[0]?.[1].outcome !== 'OK';
    return recorded ? (isDown ? WHILE_DOWN_MS : EVERY_MS) : AFTER_LOST_APPEND_MS;
  }

  /** False when another process recorded first. */
  private async record(state: ProbesState, facts: [ProbeName, ProbeFact][], now: Millis): Promise<boolean> {
    const news = facts.filter(([probe, fact]) => isProbeNews(state[probe], fact));
    const summary = this.minute.summary(now);
    if (news.length === 0 && !summary) {
      return true;
    }
    const { book } = this.parts;
    const looks = book.take() ?? { first: now, last: now, count: 0, longestGapMs: 0 };
    const sameLook = { first: now, last: now, count: 0, longestGapMs: 0 };
    const events: NewEvent[] = news.map(([probe, fact]) => ({
      type: 'ProbeChanged',
      observedAt: now,
      body: { looks: sameLook, probe, ...fact },
    }));
    if (summary) {
      events.push({ type: 'ProbesSummarised', observedAt: now, body: { looks: sameLook, ...summary } });
    }
    // One look may be several events: the first of them carries it.
    const [first, ...others] = events;
    const carrying = first && ({ ...first, body: { ...first.body, looks } } as NewEvent);
    let recorded = false;
    try {
      recorded = await this.session.append(carrying ? [carrying, ...others] : others, {
        ...state,
        ...Object.fromEntries(news),
      });
    } finally {
      if (!recorded) {
        book.giveBack(looks);
      }
    }
    if (recorded && summary) {
      this.minute = new ProbeMinute();
    }
    return recorded;
  }
}
