import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Database } from './platform/sql.js';
import { ALERT_SOURCES, READ_REPORT, type AlertSources, type ReadReport } from './alerts/alerts-options.js';
import { AlertsModule } from './alerts/alerts.module.js';
import { ApiModule } from './api/api.module.js';
import { IncidentsModule } from './api/incidents/incidents.module.js';
import { IncidentsQuery } from './api/incidents/incidents.query.js';
import { readOwnHealth } from './api/own-health/own-health.js';
import { PollMetrics } from './api/metrics/poll-metrics.js';
import { readReportMail } from './api/reports/report-mail.js';
import { hashKey } from './api/keys/key-text.js';
import { RECORDING_STATE, type RecordingState } from './api/own-health/recording-state.js';
import { millisToMicros } from './domain/time.js';
import { budgetsOf, type ChainBudget } from './domain/cost/budget.js';
import { EVENT_STORE_OPTIONS, EventLogModule, PartitionsModule } from './event-log/event-log.module.js';
import { EventStore, type EventStoreOptions } from './event-log/event-store.js';
import { Leadership } from './observe/leadership.js';
import { ObserveModule } from './observe/observe.module.js';
import type { Clock } from './platform/clock.js';
import type { Logger } from './platform/logger.js';
import type { Pools } from './platform/pools.js';
import type { QueueLocation } from './platform/queues/queue-location.js';
import { QueuesModule } from './platform/queues/queues.module.js';
import { ReadDatabase } from './platform/reads/read-database.js';
import { does } from './platform/role.js';
import { PROJECTION_FACTORIES } from './projections/all-projections.js';
import { logHealth } from './projections/health/health.js';
import { ProjectionsModule } from './projections/projections.module.js';
import type { Settings } from './settings/settings.js';
import { isLoopback } from './settings/values.js';
import { StatisticsModule } from './statistics/statistics.module.js';

export interface AppParts {
  readonly settings: Settings;
  readonly pools: Pools;
  readonly queue: QueueLocation;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shown on the page at `/`. */
  readonly version: string;
  /** A chain of samples, which the page at `/` offers first. */
  readonly sampleChain?: string | undefined;
}

/** Provides the database pools and the options of the event store to all modules. */
@Global()
@Module({})
class DatabaseModule {
  static of({ pools: { dataSource, reads, appends }, clock }: AppParts): DynamicModule {
    const eventStore: EventStoreOptions = { appends, clock };
    return {
      module: DatabaseModule,
      providers: [
        { provide: Database, useValue: dataSource },
        { provide: ReadDatabase, useValue: reads },
        { provide: EVENT_STORE_OPTIONS, useValue: eventStore },
      ],
      exports: [Database, ReadDatabase, EVENT_STORE_OPTIONS],
    };
  }
}

/** Reports the state of recording to the API, in a process that observes. */
@Module({})
class RecordingStateModule {
  static of(observe: DynamicModule, clock: Clock): DynamicModule {
    const startedAt = clock.monotonic();
    const provider = {
      provide: RECORDING_STATE,
      inject: [Leadership, EventStore],
      useFactory:
        (leadership: Leadership, { health }: EventStore) =>
        (): RecordingState => ({
          is: leadership.state.is,
          uptimeMs: clock.monotonic() - startedAt,
          troubleMs: leadership.state.troubleMs,
          trouble: leadership.state.trouble,
          failingMs: health.failingMs,
          failure: health.trouble?.error,
          waitingMs: health.waitingMs,
        }),
    };
    return {
      module: RecordingStateModule,
      imports: [observe, EventLogModule],
      providers: [provider],
      exports: [RECORDING_STATE],
    };
  }
}

/** Passes own health, incidents and reports, which later stages compute, to the alerts stage. */
@Global()
@Module({
  imports: [IncidentsModule],
  providers: [
    {
      provide: ALERT_SOURCES,
      inject: [Database, IncidentsQuery],
      useFactory: (dataSource: Database, incidents: IncidentsQuery): AlertSources => ({
        readOwnHealth: () => readOwnHealth(dataSource),
        findIncident: (...question) => incidents.findIncidentAt(...question),
      }),
    },
  ],
  exports: [ALERT_SOURCES],
})
class AlertSourcesModule {
  static of(clock: Clock, budgets: readonly ChainBudget[]): DynamicModule {
    const reports = {
      provide: READ_REPORT,
      inject: [Database],
      useFactory:
        (dataSource: Database): ReadReport =>
        (...report) =>
          readReportMail(dataSource, ...report, { nowUs: millisToMicros(clock.now()), budgets }),
    };
    return { module: AlertSourcesModule, providers: [reports], exports: [READ_REPORT] };
  }
}

/**
 * The composition root: loads the stages of each role, in the order of the flow. `observer` records; `worker` projects, rolls up
 * and runs jobs; `api` answers queries and adds jobs; `all` does everything in one process. Every role answers queries; only an
 * observer has no queue.
 */
@Module({})
export class AppModule {
  static of(parts: AppParts): DynamicModule {
    const { settings, queue, clock, logger } = parts;
    const works = does(settings.role, 'worker');
    const polls = does(settings.role, 'observer') ? new PollMetrics() : undefined;
    return {
      module: AppModule,
      imports: [
        DatabaseModule.of(parts),
        PartitionsModule.forRoot({ clock, logger }),
        ...(settings.role === 'observer'
          ? []
          : [QueuesModule.forRoot({ place: queue, clock, logger, works })]),
        ...(works ? working(parts) : []),
        answering(parts, polls, observing(parts, polls)),
      ],
    };
  }
}

function observing(
  { settings, pools: { observer }, clock, logger }: AppParts,
  polls: PollMetrics | undefined,
): DynamicModule[] {
  if (observer === undefined || polls === undefined) return [];
  const { nodes, shard, poll: pace, logBudget: bytesPerDay } = settings;
  const plan = { nodes, shard, pace, bytesPerDay };
  const observe = ObserveModule.forRoot({ plan, pools: observer, polls, clock, logger });
  return [RecordingStateModule.of(observe, clock)];
}

function working({ settings, clock, logger }: AppParts): DynamicModule[] {
  const { reports, publicUrl } = settings;
  const tell = logHealth(clock, logger);
  const projections = Object.values(PROJECTION_FACTORIES).map((create) => create(tell));
  return [
    ProjectionsModule.forRoot({ clock, logger, projections }),
    StatisticsModule.forRoot({ clock, logger }),
    AlertSourcesModule.of(clock, budgetsOf(settings.alerts.rules)),
    AlertsModule.forRoot({ ...settings.alerts, reports, publicUrl, clock, logger }),
  ];
}

function answering(
  { settings, pools, queue, clock, logger, version, sampleChain }: AppParts,
  polls: PollMetrics | undefined,
  recording: DynamicModule[],
): DynamicModule {
  const { apiKeys, host, rateLimit, corsOrigins, role } = settings;
  const options = {
    clock,
    logger,
    version,
    sampleChain,
    apiKeyHashes: apiKeys.map((key) => hashKey(key).toString('hex')),
    isLoopback: isLoopback(host),
    rateLimit,
    sharedCounts: queue.backend === 'redis' ? queue : undefined,
    corsOrigins,
    nodes: settings.nodes,
    budgets: budgetsOf(settings.alerts.rules),
    alerts: { ...settings.alerts, publicUrl: settings.publicUrl },
    defaultNode: settings.defaultNode,
    publicChains: new Map(
      settings.chains.flatMap(({ id, public: parts }) => (parts ? [[id, new Set(parts)] as const] : [])),
    ),
    metrics: { tellsFigures: does(role, 'api'), countConnections: pools.countConnections, polls },
  };
  return ApiModule.forRoot(options, recording);
}
