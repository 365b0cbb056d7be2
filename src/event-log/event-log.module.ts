import { type DynamicModule, Module } from '@nestjs/common';
import { Database } from '../platform/sql.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { EventStore, type EventStoreOptions } from './event-store.js';
import { LogPartitions } from './log-partitions.js';
import { PartitionKeeper } from './partition-keeper.js';

/** Token under which {@link EventStoreOptions} are injected, if the composition root provides any. */
export const EVENT_STORE_OPTIONS = Symbol('EventStoreOptions');

/** The event log: one store per process. */
@Module({
  providers: [
    {
      provide: EventStore,
      inject: [Database, { token: EVENT_STORE_OPTIONS, optional: true }],
      useFactory: (dataSource: Database, options?: EventStoreOptions) => new EventStore(dataSource, options),
    },
  ],
  exports: [EventStore],
})
export class EventLogModule {}

/** Makes partitions of the log ahead of time. */
@Module({})
export class PartitionsModule {
  static forRoot({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): DynamicModule {
    return {
      module: PartitionsModule,
      providers: [
        {
          provide: PartitionKeeper,
          inject: [Database],
          useFactory: (dataSource: Database) =>
            new PartitionKeeper(new LogPartitions(dataSource, clock), logger),
        },
      ],
    };
  }
}
