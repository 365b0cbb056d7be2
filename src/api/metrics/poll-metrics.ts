import { Counter, Histogram, type Registry } from 'prom-client';
import type { NewEvent } from '../../domain/events.js';
import { toPrintable } from '../../domain/printable-text.js';
import { SUBMISSION_STATUSES, type SubmissionStatus } from '../../domain/submissions/submission-codes.js';
import { decodeSubmissionRow } from '../../domain/submissions/submission-row.js';
import { BlockMetrics } from './block-metrics.js';
import { LONGEST_LABEL } from './metric-table.js';

type CountByStatus = Map<SubmissionStatus, number>;

/** From an unchanged list on the same computer to a slow node. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Counts the polls of this process, and the submissions and blocks that it records. It does not register itself, so two services in one
 * process count separately.
 */
export class PollMetrics {
  private readonly durations = new Histogram({
    name: 'hindsight_poll_duration_seconds',
    help: 'Duration of a poll of a node, until its findings are recorded.',
    labelNames: ['subject'],
    buckets: SECONDS,
    registers: [],
  });
  private readonly polls = new Counter({
    name: 'hindsight_polls_total',
    help: 'Polls of nodes. ok: the node showed the subject. refused: the node did not answer, or showed nothing. failed: not recorded.',
    labelNames: ['subject', 'outcome'],
    registers: [],
  });
  /** The present chain of each node, and the number of its recorded submissions by status. */
  private readonly recordings = new Map<string, { readonly chain: string; readonly counts: CountByStatus }>();
  private readonly blocks = new BlockMetrics();
  private readonly submissions = submissionsCounter(() => this.recordings);

  polled(subject: string, outcome: string, ms: number): void {
    this.durations.observe({ subject }, ms / 1_000);
    this.polls.inc({ subject, outcome });
  }

  /**
   * Begins to count for a node, from 0, so that a rate misses no first submission. A node that changes its chain keeps only the
   * series of the new chain: it may claim any number of chains.
   */
  watches(node: string, chain: string | null): void {
    const known = this.recordings.get(node);
    if (known !== undefined && (chain === null || chain === known.chain)) return;
    const counts: CountByStatus = new Map(SUBMISSION_STATUSES.map((status) => [status, 0]));
    this.recordings.set(node, { chain: chain ?? '', counts });
  }

  recorded(node: string, events: readonly NewEvent[]): void {
    const counts = this.recordings.get(node)?.counts;
    for (const event of events) {
      this.blocks.recorded(node, event);
      if (event.type !== 'SubmissionsObserved') continue;
      for (const row of event.body.rows) {
        const { status } = decodeSubmissionRow(row);
        counts?.set(status, (counts.get(status) ?? 0) + 1);
      }
    }
  }

  register(registry: Registry): void {
    registry.registerMetric(this.durations);
    registry.registerMetric(this.polls);
    registry.registerMetric(this.submissions);
    this.blocks.register(registry);
  }
}

function submissionsCounter(
  read: () => ReadonlyMap<string, { readonly chain: string; readonly counts: CountByStatus }>,
): Counter {
  return new Counter({
    name: 'hindsight_observed_submissions_total',
    help: 'Submissions that this process has recorded since its start, by the present chain of their node.',
    labelNames: ['node', 'chain', 'status'],
    registers: [],
    collect() {
      this.reset();
      for (const [id, { chain, counts }] of read()) {
        const of = { node: toPrintable(id, LONGEST_LABEL), chain: toPrintable(chain, LONGEST_LABEL) };
        for (const [status, count] of counts) this.inc({ ...of, status }, count);
      }
    },
  });
}
