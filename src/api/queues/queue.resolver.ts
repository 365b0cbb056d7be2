import { Inject, Optional } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { JobQueue, type QueueState } from '../../platform/queues/job-queue.js';
import { QUEUE_NAME } from '../../platform/queues/queue-location.js';
import { Costs, listOf } from '../graphql/field-cost.js';
import { withoutAddresses } from '../own-health/error-words.js';
import { Queue } from './queue.type.js';

@Resolver()
export class QueueResolver {
  // Null in a process that only observes.
  constructor(@Optional() @Inject(JobQueue) private readonly queue: JobQueue | null) {}

  @Query(() => [Queue], {
    name: 'queues',
    description:
      'The queues of the workers, with the number of jobs in each state. Empty if this process has no queues, such as a process that only observes.',
  })
  @Costs(listOf(1))
  async getQueues(): Promise<Queue[]> {
    return this.queue ? [toQueue(await this.queue.getState())] : [];
  }
}

function toQueue({ backend, state, reason, jobs, schedules = [], active = [] }: QueueState): Queue {
  return {
    id: QUEUE_NAME,
    name: QUEUE_NAME,
    backend: backend === 'redis' ? 'REDIS' : 'POSTGRES',
    reachable: state === 'reachable',
    reason: reason === undefined ? null : withoutAddresses(reason),
    waiting: jobs?.waiting ?? null,
    delayed: jobs?.delayed ?? null,
    active: jobs?.active ?? null,
    failed: jobs?.failed ?? null,
    schedules,
    activeJobs: active,
  };
}
