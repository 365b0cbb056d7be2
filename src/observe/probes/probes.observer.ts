import type { Millis, NewEvent, ProbeName } from '../../domain/events.js';
import { isProbeNews, reachabilityOf, toProbeFact, type ProbeFact } from '../../domain/probe-facts.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import type { DaySpending } from '../../domain/byte-budget.js';
import type { LookBook } from '../look-book.js';
import type { NodeBudget } from '../node-budget.js';
import { ProbeMinute } from './probe-minute.js';
import { StreamSession } from '../stream-session.js';
import type { SubjectObserver } from '../subject-observer.js';

/** What each probe gave when it was last recorded, and what the node has written of its day's share. */
type ProbesState = Partial<Record<ProbeName, ProbeFact>> & { readonly spent?: DaySpending };

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
      readonly budget: NodeBudget;
    },
  ) {
    this.session = new StreamSession(parts.store, `${parts.node.id}/probes`);
  }

  async look(signal: AbortSignal): Promise<number> {
    const { state = {}, fresh } = await this.session.load();
    const { api, clock, book, budget } = this.parts;
    if (fresh) budget.restore('probes', state.spent);
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
    const { book, budget } = this.parts;
    const isDetailNews = budget.left(now) > 0;
    const news = facts.filter(([probe, fact]) => isProbeNews(state[probe], fact, isDetailNews));
    const summary = this.minute.summary(now);
    if (news.length === 0 && !summary) {
      return true;
    }
    const looks = book.take() ?? { first: now, last: now, count: 0, longestGapMs: 0 };
    const sameLook = { first: now, last: now, count: 0, longestGapMs: 0 };
    const found: NewEvent[] = news.map(([probe, fact]) => ({
      type: 'ProbeChanged',
      observedAt: now,
      body: { looks: sameLook, probe, ...fact },
    }));
    if (summary) {
      found.push({ type: 'ProbesSummarised', observedAt: now, body: { looks: sameLook, ...summary } });
    }
    // One look may be several events: the first of them carries it.
    const [first, ...others] = found;
    const carrying = first && ({ ...first, body: { ...first.body, looks } } as NewEvent);
    const { events, spent } = budget.fit('probes', carrying ? [carrying, ...others] : others, now);
    const after = { ...state, ...Object.fromEntries(news), spent };
    const isWon = await this.session.append(events, after, (isRecorded) => {
      if (!isRecorded) book.giveBack(looks);
      else if (summary) this.minute = new ProbeMinute();
    });
    if (isWon) budget.restore('probes', spent);
    return isWon;
  }
}
