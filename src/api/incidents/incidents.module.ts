import { Module } from '@nestjs/common';
import { EventLogModule } from '../../event-log/event-log.module.js';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { AcknowledgementsService } from './acknowledgements.service.js';
import { IncidentCausesQuery } from './incident-causes.query.js';
import { IncidentImpactQuery } from './incident-impact.query.js';
import { IncidentResolver } from './incident.resolver.js';
import { PostMortemResolver } from './post-mortem.resolver.js';
import { IncidentsQuery } from './incidents.query.js';

@Module({
  imports: [EventLogModule, StatisticsReadersModule],
  providers: [
    IncidentResolver,
    PostMortemResolver,
    IncidentsQuery,
    IncidentCausesQuery,
    IncidentImpactQuery,
    AcknowledgementsService,
  ],
  exports: [IncidentsQuery],
})
export class IncidentsModule {}
