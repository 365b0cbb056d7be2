import { Module } from '@nestjs/common';
import { EventResolver } from './event.resolver.js';
import { EventsQuery } from './events.query.js';

@Module({
  providers: [EventResolver, EventsQuery],
  exports: [EventsQuery],
})
export class EventsModule {}
