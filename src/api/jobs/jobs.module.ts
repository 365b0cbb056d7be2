import { Module } from '@nestjs/common';
import { EventLogModule } from '../../event-log/event-log.module.js';
import { QueueResolver } from '../queues/queue.resolver.js';
import { JobResolver } from './job.resolver.js';
import { JobsService } from './jobs.service.js';

@Module({
  imports: [EventLogModule],
  providers: [JobResolver, JobsService, QueueResolver],
  exports: [JobsService, QueueResolver],
})
export class JobsModule {}
