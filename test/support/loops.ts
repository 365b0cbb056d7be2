import { SchedulerRegistry } from '@nestjs/schedule';
import { LoopDirectory } from '../../src/platform/loops/loop-directory.js';

/** A directory of loops without a Nest application around it. */
export function newLoops(): LoopDirectory {
  return new LoopDirectory(new SchedulerRegistry());
}
