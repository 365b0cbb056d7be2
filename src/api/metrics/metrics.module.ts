import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { SystemsModule } from '../systems/systems.module.js';
import { HealthModule } from '../health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { OwnHealthModule } from '../own-health/own-health.module.js';
import { FiguresQuery } from './figures.query.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsService } from './metrics.service.js';
import { NodeStatesQuery } from './node-states.query.js';
import { NodeTotalsBook } from './node-totals.js';
import { OwnRegistry } from './own-registry.js';
import { SystemSamplesQuery } from './system-samples.query.js';

@Module({
  imports: [
    HttpModule,
    KeysModule,
    NodesModule,
    SystemsModule,
    HealthModule,
    IncidentsModule,
    OwnHealthModule,
    StatisticsReadersModule,
  ],
  controllers: [MetricsController],
  providers: [MetricsService, OwnRegistry, FiguresQuery, NodeStatesQuery, NodeTotalsBook, SystemSamplesQuery],
})
export class MetricsModule {}
