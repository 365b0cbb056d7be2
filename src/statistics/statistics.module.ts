import { type DynamicModule, Module } from '@nestjs/common';
import { EventLogModule } from '../event-log/event-log.module.js';
import { LoopsModule } from '../platform/loops/loops.module.js';
import { HouseKeeping } from './jobs/house-keeping.js';
import { LongJobs } from './jobs/long-jobs.js';
import { ReadModelUpgrades } from './read-model-sets.js';
import { STATISTICS_OPTIONS, type StatisticsOptions, StatisticsService } from './statistics.service.js';

/** Keeps the statistics up to date with the record, and runs the long jobs of the workers. */
@Module({})
export class StatisticsModule {
  static forRoot(options: StatisticsOptions): DynamicModule {
    return {
      module: StatisticsModule,
      imports: [EventLogModule, LoopsModule],
      providers: [
        { provide: STATISTICS_OPTIONS, useValue: options },
        StatisticsService,
        LongJobs,
        HouseKeeping,
        ReadModelUpgrades,
      ],
    };
  }
}
