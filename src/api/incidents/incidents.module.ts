import { Module } from '@nestjs/common';
import { IncidentResolver } from './incident.resolver.js';
import { IncidentsQuery } from './incidents.query.js';

/** Incidents, computed from the intervals of health. */
@Module({
  providers: [IncidentResolver, IncidentsQuery],
  exports: [IncidentsQuery],
})
export class IncidentsModule {}
