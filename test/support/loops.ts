import { SchedulerRegistry } from '@nestjs/schedule';
import type { PollWatch } from '../../src/observe/poll-watch.js';
import { LoopDirectory } from '../../src/platform/loops/loop.js';

/** Counts no polls. */
export const UNCOUNTED: PollWatch = {
  polled: () => undefined,
  watches: () => undefined,
  recorded: () => undefined,
};

/** A directory of loops without a Nest application around it. */
export function newLoops(): LoopDirectory {
  return new LoopDirectory(new SchedulerRegistry());
}
