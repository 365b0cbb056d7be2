import { Args, Context, ID, Int, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { QueuedJobState } from '../../platform/queues/job-queue.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, pageCost } from '../graphql/field-cost.js';
import { DateTime } from '../graphql/scalars.js';
import { authorOf } from '../keys/caller.js';
import { Needs } from '../keys/api-keys.js';
import { Job, JobStates } from './job.type.js';
import { JobsService } from './jobs.service.js';

const EVERY_STATE = Object.values(JobStates);
const DEFAULT_COUNT = 50;

@Resolver(() => Job)
export class JobResolver {
  constructor(private readonly service: JobsService) {}

  @Query(() => [Job], { name: 'jobs', description: 'Jobs of the workers, newest first.' })
  @Costs(pageCost)
  getJobs(
    @argOrNull('states', () => [JobStates], 'Only jobs in these states; all states if left out.')
    states: QueuedJobState[] | null | undefined,
    @argOrNull('first', () => Int, 'Number of jobs: from 1 to 1,000.', DEFAULT_COUNT)
    first: number | null,
  ): Promise<Job[]> {
    return this.service.getJobs(states ?? EVERY_STATE, first ?? DEFAULT_COUNT);
  }

  @Needs('write')
  @Mutation(() => Job, {
    description:
      'Computes statistics again from the record: for one chain, for a range of time, or for everything. Requesting it twice starts one job.',
  })
  recomputeStatistics(
    @argOrNull('chain', () => String, 'Id of the chain; all chains if left out.')
    chain: string | null | undefined,
    @argOrNull('from', () => DateTime, 'Inclusive; the beginning of the record if left out.')
    from: bigint | null | undefined,
    @argOrNull('to', () => DateTime, 'Exclusive; the end of the record if left out.')
    to: bigint | null | undefined,
    @Context() { caller }: ApiContext,
  ): Promise<Job> {
    const range = { chain: chain ?? null, from: from ?? null, to: to ?? null };
    return this.service.recompute(range, authorOf(caller));
  }

  @Needs('write')
  @Mutation(() => Job, {
    description: 'Replays the log into a new read model and swaps it in, while the old one keeps answering.',
  })
  rebuildProjection(
    @Args('name', { type: () => String, description: 'Name of the read model, as in `/health/ready`.' })
    name: string,
    @Context() { caller }: ApiContext,
  ): Promise<Job> {
    return this.service.rebuild(name, authorOf(caller));
  }

  @Needs('write')
  @Mutation(() => Job, { description: 'Runs a failed job again.' })
  retryJob(
    @Args('id', { type: () => ID, description: 'As in `Job.id`.' }) id: string,
    @Context() { caller }: ApiContext,
  ): Promise<Job> {
    return this.service.retry(id, authorOf(caller));
  }
}
