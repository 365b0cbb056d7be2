import { Inject, Injectable, Optional } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { JobQueue } from '../../platform/queues/job-queue.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { RequestMetrics } from '../http/request-metrics.js';
import { RECORDING_STATE, type RecordingState } from '../own-health/recording-state.js';

/** Metrics of this process that need no database. Each service has its own registry. */
@Injectable()
export class OwnRegistry {
  private registry: Registry | undefined;

  constructor(
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'metrics' | 'version'>,
    private readonly requests: RequestMetrics,
    @Optional() @Inject(JobQueue) private readonly queue: JobQueue | null,
    @Optional() @Inject(RECORDING_STATE) private readonly recording: (() => RecordingState) | null,
  ) {}

  /** Prometheus text format. */
  async print(): Promise<string> {
    this.registry ??= this.create();
    return this.registry.metrics();
  }

  /** Created on the first request: collecting Node's metrics begins then, and costs a little. */
  private create(): Registry {
    const registry = new Registry();
    collectOfNode(registry);
    const { queue, recording } = this;
    const { metrics, version } = this.options;
    metrics.polls?.register(registry);
    this.requests.register(registry);
    const gauges = [
      buildGauge(version),
      gaugeByState(
        'hindsight_pool_connections',
        'Connections of this process to Postgres, and statements that wait for a connection; without the connections of the job queue.',
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

/**
 * Gauges that are named like counters, and the shortest event loop lag, which is an absurd number before the first measurement.
 */
const LEFT_OUT = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_lag_min_seconds',
];

function collectOfNode(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  // The collectors count from now on; adds what the process used before.
  const { user, system } = process.cpuUsage();
  const used = { user, system, '': user + system };
  for (const [kind, us] of Object.entries(used)) {
    const metric = registry.getSingleMetric(`process_cpu_${kind === '' ? '' : `${kind}_`}seconds_total`);
    if (metric instanceof Counter) metric.inc(us / 1e6);
  }
}

function buildGauge(version: string): Gauge {
  const gauge = new Gauge({
    name: 'hindsight_build_info',
    help: 'Always 1: the release of this process and its version of Node.',
    labelNames: ['version', 'nodejs'],
    registers: [],
  });
  gauge.set({ version, nodejs: process.versions.node }, 1);
  return gauge;
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
    help: 'Whether this process observes its shard: 1, or 0 while it is on standby or had to stop.',
    registers: [],
    collect() {
      this.set(recording().is === 'leading' ? 1 : 0);
    },
  });
}
