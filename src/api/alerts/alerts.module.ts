import { Module } from '@nestjs/common';
import { EventLogModule } from '../../event-log/event-log.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { AlertTestsService } from './alert-tests.service.js';
import { AlertResolver, AlertRuleResolver } from './alert.resolver.js';
import { AlertsQuery } from './alerts.query.js';

@Module({
  imports: [EventLogModule, IncidentsModule],
  providers: [AlertResolver, AlertRuleResolver, AlertsQuery, AlertTestsService],
})
export class AlertsApiModule {}
