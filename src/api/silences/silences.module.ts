import { Module } from '@nestjs/common';
import { EventLogModule } from '../../event-log/event-log.module.js';
import { SilenceResolver } from './silence.resolver.js';
import { SilencesService } from './silences.service.js';

@Module({
  imports: [EventLogModule],
  providers: [SilenceResolver, SilencesService],
  exports: [SilencesService],
})
export class SilencesModule {}
