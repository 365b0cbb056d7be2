import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LoopDirectory } from './loop-directory.js';

/** Whatever runs by time: loops, and the calendar work of @nestjs/schedule. For every stage. */
@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [LoopDirectory],
  exports: [LoopDirectory],
})
export class LoopsModule {}
