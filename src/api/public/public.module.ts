import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { HealthModule } from '../health/health.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { UptimeModule } from '../uptime/uptime.module.js';
import { PublicController } from './public.controller.js';
import { PublicSummaryQuery } from './public-summary.query.js';

/** Serves what the owners of chains show to strangers. */
@Module({
  imports: [NodesModule, HealthModule, UptimeModule, IncidentsModule, StatisticsReadersModule],
  controllers: [PublicController],
  providers: [PublicSummaryQuery],
})
export class PublicModule {}
