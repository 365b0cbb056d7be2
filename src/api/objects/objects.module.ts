import { Module } from '@nestjs/common';
import { BlocksModule } from '../blocks/blocks.module.js';
import { ChainsModule } from '../chains/chains.module.js';
import { ClaimsModule } from '../claims/claims.module.js';
import { CoverageModule } from '../coverage/coverage.module.js';
import { SystemsModule } from '../systems/systems.module.js';
import { EventsModule } from '../events/events.module.js';
import { HealthModule } from '../health/health.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { LossesModule } from '../losses/losses.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { PricesModule } from '../prices/prices.module.js';
import { SilencesModule } from '../silences/silences.module.js';
import { StatisticsApiModule } from '../statistics/statistics.module.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { UptimeModule } from '../uptime/uptime.module.js';
import { ObjectFinders } from './object-finders.js';
import { ObjectResolver } from './object.resolver.js';

@Module({
  imports: [
    BlocksModule,
    EventsModule,
    ClaimsModule,
    SystemsModule,
    HealthModule,
    IncidentsModule,
    CoverageModule,
    UptimeModule,
    StatisticsApiModule,
    PricesModule,
    SilencesModule,
    SubmissionsModule,
    NodesModule,
    ChainsModule,
    LossesModule,
    JobsModule,
  ],
  providers: [ObjectResolver, ObjectFinders],
})
export class ObjectsModule {}
