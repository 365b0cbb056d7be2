import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ApiModule } from './api/api.module.js';
import { EventLogModule } from './event-log/event-log.module.js';
import type { ObserveOptions } from './observe/observe.module.js';
import { ObserveModule } from './observe/observe.module.js';
import { type ProjectionsOptions } from './projections/projections.service.js';
import { ProjectionsModule } from './projections/projections.module.js';
import type { ApiOptions } from './api/api-options.js';
import type { Role } from './platform/settings-table.js';

/** What each stage is given. */
export interface AppOptions {
  readonly role: Role;
  readonly dataSource: DataSource;
  readonly observe: ObserveOptions;
  readonly projections: ProjectionsOptions;
  readonly api: ApiOptions;
}

@Global()
@Module({})
class DatabaseModule {
  static of(dataSource: DataSource): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: DataSource, useValue: dataSource }],
      exports: [DataSource],
    };
  }
}

/**
 * The composition root: which stages each role loads, in the order of the flow.
 * `observer` records, `worker` projects, `api` answers, `all` does everything in one process.
 */
@Module({})
export class AppModule {
  static forRole({ role, dataSource, observe, projections, api }: AppOptions): DynamicModule {
    const does = (one: Role) => role === 'all' || role === one;
    return {
      module: AppModule,
      imports: [
        ScheduleModule.forRoot(),
        DatabaseModule.of(dataSource),
        EventLogModule,
        ...(does('observer') ? [ObserveModule.forRoot(observe)] : []),
        ...(does('worker') ? [ProjectionsModule.forRoot(projections)] : []),
        ApiModule.forRoot(api),
      ],
    };
  }
}
