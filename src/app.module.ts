import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiModule } from './api/api.module.js';
import { RECORDING_STATE, type RecordingState } from './api/own-health/recording-state.js';
import { EVENT_STORE_OPTIONS, EventLogModule, PartitionsModule } from './event-log/event-log.module.js';
import { EventStore, type EventStoreOptions } from './event-log/event-store.js';
import { Leadership } from './observe/leadership.js';
import type { Clock } from './platform/clock.js';
import type { ObserveOptions } from './observe/observe.module.js';
import { ObserveModule } from './observe/observe.module.js';
import { ReadDatabase } from './platform/reads/read-database.js';
import { type ProjectionsOptions } from './projections/projections.service.js';
import { ProjectionsModule } from './projections/projections.module.js';
import type { ApiOptions } from './api/api-options.js';
import { QueuesModule } from './platform/queues/queues.module.js';
import { LoopsModule } from './platform/loops/loops.module.js';
import type { QueuePlace } from './platform/queues/queue-place.js';
import type { Role } from './platform/settings-table.js';
import { StatisticsModule } from './statistics/statistics.module.js';

/** What each stage is given. */
export interface AppOptions {
  readonly role: Role;
  readonly dataSource: DataSource;
  /** What answers questions. */
  readonly reads: ReadDatabase;
  readonly eventStore: EventStoreOptions;
  /** In a role that observes. */
  readonly observe: ObserveOptions | undefined;
  readonly projections: ProjectionsOptions;
  readonly queue: QueuePlace;
  readonly api: ApiOptions;
}

@Global()
@Module({})
class DatabaseModule {
  static of({ dataSource, reads, eventStore }: AppOptions): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DataSource, useValue: dataSource },
        { provide: ReadDatabase, useValue: reads },
        { provide: EVENT_STORE_OPTIONS, useValue: eventStore },
      ],
      exports: [DataSource, ReadDatabase, EVENT_STORE_OPTIONS],
    };
  }
}

/** Tells the API how recording goes in a process that observes. */
@Global()
@Module({})
class RecordingStateModule {
  static of(clock: Clock): DynamicModule {
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
      imports: [EventLogModule],
      providers: [provider],
      exports: [RECORDING_STATE],
    };
  }
}

/**
 * The composition root: which stages each role loads, in the order of the flow.
 * `observer` records, `worker` projects, rolls up and does jobs, `api` answers and asks for jobs, `all` does everything
 * in one process. Every role answers questions; only an observer has no queue.
 */
@Module({})
export class AppModule {
  static forRole(options: AppOptions): DynamicModule {
    const { role, observe, projections, queue, api } = options;
    const does = (one: Role) => role === 'all' || role === one;
    const { clock, logger } = projections;
    const works = does('worker');
    return {
      module: AppModule,
      imports: [
        LoopsModule,
        DatabaseModule.of(options),
        EventLogModule,
        PartitionsModule.forRoot({ clock, logger }),
        ...(observe ? [ObserveModule.forRoot(observe), RecordingStateModule.of(clock)] : []),
        ...(works || does('api') ? [QueuesModule.forRoot({ place: queue, clock, logger, works })] : []),
        ...(works
          ? [ProjectionsModule.forRoot(projections), StatisticsModule.forRoot({ clock, logger })]
          : []),
        ApiModule.forRoot(api),
      ],
    };
  }
}
