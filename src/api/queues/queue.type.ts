import { ObjectType } from '@nestjs/graphql';
import { enumOf } from '../graphql/literal-enum.js';
import { bool, field, float, id, int, text } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

const QueueBackend = enumOf('QueueBackend', 'Where a queue is stored.', {
  POSTGRES: 'The database of the record.',
  REDIS: 'A Redis server, through BullMQ.',
});

@ObjectType({ description: 'A job that a queue starts by itself.' })
export class QueueSchedule {
  @text('The kind of job.') readonly name: string;
  @float('Seconds until the next run; below 0 if it is overdue.') readonly nextSeconds: number;
}

@ObjectType({ description: 'A job that is running.' })
export class ActiveJob {
  @id('Same as `Job.id`.') readonly id: string;
  @text('The kind of job, as in `Job.name`.') readonly name: string;
  @float.orNull('From 0 to 1; null while nothing is known.') readonly progress: number | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'A queue of jobs. Counts are null while the queue does not answer: unknown, not zero. See `jobs` for the jobs themselves.',
})
export class Queue {
  @id('`name`.') readonly id: string;
  @id('Its name.') readonly name: string;
  @field(() => QueueBackend, 'Where the queue is stored.') readonly backend: keyof typeof QueueBackend;
  @bool('Whether it answers.') readonly reachable: boolean;
  @text.orNull('Why the queue does not answer; null if it does.') readonly reason: string | null;
  @int.orNull('Jobs that no worker has taken yet.') readonly waiting: number | null;
  @int.orNull('Jobs that failed and wait for their next attempt.') readonly delayed: number | null;
  @int.orNull('Jobs that are running.') readonly active: number | null;
  @int.orNull('Jobs whose last attempt failed.') readonly failed: number | null;
  @field(() => [QueueSchedule], 'Recurring jobs of the queue; at most 20.', { complexity: 20 })
  readonly schedules: readonly QueueSchedule[];
  @field(() => [ActiveJob], 'Some of the jobs that are running, at most 20.', { complexity: 20 })
  readonly activeJobs: readonly ActiveJob[];
}
