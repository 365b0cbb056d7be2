import { type DynamicModule, Module } from '@nestjs/common';
import { LoopsModule } from '../platform/loops/loops.module.js';
import { Database } from '../platform/sql.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { EventStore } from '../event-log/event-store.js';
import { ProjectionRunner } from './projection-runner.js';
import { PROJECTIONS_OPTIONS, type ProjectionsOptions, ProjectionsService } from './projections.service.js';

/** Keeps the read models at the end of the log. */
@Module({})
export class ProjectionsModule {
  static forRoot(options: ProjectionsOptions): DynamicModule {
    return {
      module: ProjectionsModule,
      imports: [EventLogModule, LoopsModule],
      providers: [
        { provide: PROJECTIONS_OPTIONS, useValue: options },
        {
          provide: ProjectionRunner,
          inject: [Database, EventStore],
          useFactory: (dataSource: Database, store: EventStore) => new ProjectionRunner(dataSource, store),
        },
        ProjectionsService,
      ],
      exports: [ProjectionsService],
    };
  }
}
