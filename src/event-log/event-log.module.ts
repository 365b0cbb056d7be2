import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventStore } from './event-store.js';

/** The event log: one store per process. */
@Global()
@Module({
  providers: [
    {
      provide: EventStore,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => new EventStore(dataSource),
    },
  ],
  exports: [EventStore],
})
export class EventLogModule {}
