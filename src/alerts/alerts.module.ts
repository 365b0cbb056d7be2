import { type DynamicModule, Module } from '@nestjs/common';
import { EventLogModule } from '../event-log/event-log.module.js';
import { ALERTS_OPTIONS, type AlertsOptions } from './alerts-options.js';
import { AlertLinks } from './alert-links.js';
import { AlertsService } from './alerts.service.js';
import { ConditionSampler } from './condition-sampler.js';
import { Heartbeat } from './heartbeat.js';
import { ReportMails } from './report-mails.js';

/** Reports trouble to the destinations in the settings. */
@Module({})
export class AlertsModule {
  static forRoot(options: AlertsOptions): DynamicModule {
    return {
      module: AlertsModule,
      imports: [EventLogModule],
      providers: [
        { provide: ALERTS_OPTIONS, useValue: options },
        ConditionSampler,
        AlertLinks,
        AlertsService,
        ReportMails,
        Heartbeat,
      ],
    };
  }
}
