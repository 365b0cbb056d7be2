import { Module } from '@nestjs/common';
import { EventLogModule } from '../../event-log/event-log.module.js';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { IncidentCausesQuery } from './incident-causes.query.js';
import { IncidentImpactQuery } from './incident-impact.query.js';
import { IncidentNotesResolver } from './incident-notes.resolver.js';
import { IncidentNotesService } from './incident-notes.service.js';
import { IncidentResolver } from './incident.resolver.js';
import { PostMortemResolver } from './post-mortem.resolver.js';
import { IncidentsQuery } from './incidents.query.js';

@Module({
  imports: [EventLogModule, StatisticsReadersModule],
  providers: [
    IncidentResolver,
    IncidentNotesResolver,
    PostMortemResolver,
    IncidentsQuery,
    IncidentCausesQuery,
    IncidentImpactQuery,
    IncidentNotesService,
  ],
  exports: [IncidentsQuery],
})
export class IncidentsModule {}
