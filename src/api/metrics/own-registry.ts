import { Inject, Injectable, Optional } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { JobQueue } from '../../platform/queues/job-queue.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { RECORDING_STATE, type RecordingState } from '../own-health/recording-state.js';

/** What this process knows of itself without asking the database: each service has its own. */
@Injectable()
export class OwnRegistry {
  private registry: Registry | undefined;

  constructor(
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'metrics'>,
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
    @Optional() @Inject(RECORDING_STATE) private readonly recording: (() => RecordingState) | null,
  ) {}

  /** In the text form of Prometheus. */
  async print(): Promise<string> {
    this.registry ??= this.create();
    return this.registry.metrics();
  }

  /** When it is first asked for: what Node tells of itself is measured from then on, and costs a little. */
  private create(): Registry {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const { queue, recording } = this;
    const { metrics } = this.options;
    metrics.polls?.register(registry);
    const gauges = [
      gaugeByState(
        'hindsight_pool_connections',
        'Connections of this process to Postgres, and statements that wait for one; without those of a job queue.',
        () => Promise.resolve({ ...metrics.countConnections() }),
      ),
      ...(queue
        ? [
            gaugeByState(
              'hindsight_queue_jobs',
              'Jobs in the queue, by state; absent while the queue does not answer.',
              async () => ({ ...(await queue.getState()).jobs }),
            ),
          ]
        : []),
      ...(recording ? [leaderGauge(recording)] : []),
    ];
    for (const gauge of gauges) registry.registerMetric(gauge);
    return registry;
  }
}

function gaugeByState(
  name: string,
  help: string,
  readValues: () => Promise<Readonly<Record<string, number>>>,
): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers: [],
    async collect() {
      const values = await readValues();
      this.reset();
      for (const [state, value] of Object.entries(values)) this.set({ state }, value);
    },
  });
}

function leaderGauge(recording: () => RecordingState): Gauge {
  return new Gauge({
    name: 'hindsight_leader',
    help: 'Whether this process observes its shard: 1, or 0 while it stands by or had to give up.',
    registers: [],
    collect() {
      this.set(recording().is === 'leading' ? 1 : 0);
    },
  });
}
