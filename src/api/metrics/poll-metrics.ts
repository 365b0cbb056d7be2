import { Counter, Histogram, type Registry } from 'prom-client';

/** From a list that has not changed, on the same computer, to a node that takes its time. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts the polls of this process. It is of no registry by itself, so that two services in a process count apart. */
export class PollMetrics {
  private readonly durations = new Histogram({
    name: 'hindsight_poll_duration_seconds',
    help: 'Time that a poll of a node took, from its beginning until its findings were recorded.',
    labelNames: ['subject'],
    buckets: SECONDS,
    registers: [],
  });
  private readonly polls = new Counter({
    name: 'hindsight_polls_total',
    help: 'Polls of nodes. ok: it showed the subject. refused: it did not answer, or showed nothing. failed: not recorded.',
    labelNames: ['subject', 'outcome'],
    registers: [],
  });

  polled(subject: string, outcome: string, ms: number): void {
    this.durations.observe({ subject }, ms / 1_000);
    this.polls.inc({ subject, outcome });
  }

  /** Has a registry print them. */
  register(registry: Registry): void {
    registry.registerMetric(this.durations);
    registry.registerMetric(this.polls);
  }
}
