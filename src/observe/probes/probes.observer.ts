import type { DaySpending } from '../../domain/byte-budget.js';
import type { EventBodies, NewEvent, ProbeName } from '../../domain/events.js';
import {
  isProbeNews,
  type ProbeFact,
  reachabilityAfter,
  summariseLatency,
  toProbeFact,
} from '../../domain/probe-facts.js';
import type { Millis } from '../../domain/time.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import { carryPolls, samePoll } from '../poll-book.js';
import type { SeeingObserver } from '../subject-observer.js';
import { type RecorderParts, SubjectRecorder } from '../subject-recorder.js';

/** The last recorded result of each probe, and what the node has written of its daily share. */
type ProbesState = Partial<Record<ProbeName, ProbeFact>> & { readonly spent?: DaySpending };

const EVERY_MS = 5_000;
const WHILE_DOWN_MS = 1_000;
const AFTER_LOST_APPEND_MS = 200;

/** Records whether a node is reachable, reports itself live and ready, and has caught up; and how fast it answers. */
export class ProbesObserver implements SeeingObserver {
  readonly subject = 'probes';
  hasSeen = false;
  private readonly recorder: SubjectRecorder<ProbesState>;
  private minute = new ProbeMinute();

  constructor(private readonly parts: RecorderParts & { readonly api: NodeApi; readonly clock: Clock }) {
    this.recorder = new SubjectRecorder('probes', parts);
  }

  async poll(signal: AbortSignal): Promise<Millis> {
    const { state = {} } = await this.recorder.load();
    const { api, clock, book } = this.parts;
    const [live, ready, status] = await Promise.all([
      api.live(signal),
      api.ready(signal),
      api.status(signal),
    ]);
    if (signal.aborted) return EVERY_MS;
    const now = clock.now();
    // A poll counts even if the node is down.
    book.note(now, live.nodeClock ?? ready.nodeClock);
    const facts: [ProbeName, ProbeFact][] = [
      ['reachable', reachabilityAfter(state.reachable, live, ready)],
      ['live', toProbeFact(live)],
      ['ready', toProbeFact(ready)],
    ];
    if (status) facts.push(['status', { ...toProbeFact(status), catchingUp: status.catchingUp }]);
    for (const [probe, fact] of facts) this.minute.add(probe, fact, now);
    this.hasSeen = facts[0]?.[1].outcome === 'OK';
    const recorded = await this.record(state, facts, now);
    return recorded ? (this.hasSeen ? EVERY_MS : WHILE_DOWN_MS) : AFTER_LOST_APPEND_MS;
  }

  /** @returns false when another process recorded first */
  private async record(state: ProbesState, facts: [ProbeName, ProbeFact][], now: Millis): Promise<boolean> {
    const isDetailNews = this.parts.budget.left(now) > 0;
    const news = facts.filter(([probe, fact]) => isProbeNews(state[probe], fact, isDetailNews));
    const summary = this.minute.summary(now);
    if (news.length === 0 && !summary) return true;
    const found: NewEvent[] = news.map(([probe, fact]) => ({
      type: 'ProbeChanged',
      observedAt: now,
      body: { looks: samePoll(now), probe, ...fact },
    }));
    if (summary) {
      found.push({ type: 'ProbesSummarised', observedAt: now, body: { looks: samePoll(now), ...summary } });
    }
    const pauseMs = await this.recorder.record({
      at: now,
      events: carryPolls(found, this.parts.book.peek()),
      state: () => ({ ...state, ...Object.fromEntries(news) }),
      settled: (isRecorded) => {
        if (isRecorded && summary) this.minute = new ProbeMinute();
      },
    });
    return pauseMs !== undefined;
  }
}

type Summary = Omit<EventBodies['ProbesSummarised'], 'looks'>;

interface Tally {
  ok: number;
  failed: number;
  readonly latencies: number[];
}

const MINUTE_MS = 60_000;

class ProbeMinute {
  private from: Millis | undefined;
  private readonly tallies = new Map<ProbeName, Tally>();

  /** Counts one result; a probe that the node does not offer is not counted. */
  add(probe: ProbeName, fact: ProbeFact, at: Millis): void {
    this.from ??= at;
    if (fact.outcome === 'NOT_OFFERED') return;
    const tally = this.tallies.get(probe) ?? { ok: 0, failed: 0, latencies: [] };
    this.tallies.set(probe, tally);
    if (fact.outcome !== 'OK') {
      tally.failed += 1;
      return;
    }
    tally.ok += 1;
    if (fact.latencyMs !== null) tally.latencies.push(fact.latencyMs);
  }

  /** The summary once a minute has passed since the first result, else undefined. */
  summary(now: Millis): Summary | undefined {
    if (this.from === undefined || now - this.from < MINUTE_MS) return undefined;
    const probes: Summary['probes'] = Object.fromEntries(
      [...this.tallies].map(([probe, { ok, failed, latencies }]) => [
        probe,
        { ok, failed, latency: summariseLatency(latencies) },
      ]),
    );
    return { from: this.from, to: now, probes };
  }
}
