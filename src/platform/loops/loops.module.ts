import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LoopDirectory } from './loop.js';

/** Timed work: loops, and the calendar work of @nestjs/schedule. */
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [LoopDirectory],
  exports: [LoopDirectory],
})
export class LoopsModule {}
