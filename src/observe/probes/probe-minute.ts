import type { EventBodies, ProbeName } from '../../domain/events.js';
import { summariseLatency } from '../../domain/latency.js';
import type { ProbeFact } from '../../domain/probe-facts.js';
import type { Millis } from '../../domain/time.js';

type Summary = Omit<EventBodies['ProbesSummarised'], 'looks'>;

interface Tally {
  ok: number;
  failed: number;
  readonly latencies: number[];
}

const MINUTE_MS = 60_000;

/** Counts the probes of one minute. */
export class ProbeMinute {
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
