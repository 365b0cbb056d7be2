import { Field, Float, ObjectType, registerEnumType } from '@nestjs/graphql';
import { enumOf } from '../graphql/literal-enum.js';
import { id, int, text, bool } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

const QueueBackend = enumOf(['POSTGRES', 'REDIS']);
registerEnumType(QueueBackend, {
  name: 'QueueBackend',
  description: 'What keeps a queue.',
  valuesMap: {
    POSTGRES: { description: 'The database of the record.' },
    REDIS: { description: 'A Redis server, by BullMQ.' },
  },
});

@ObjectType({ description: 'What a queue begins by itself.' })
export class QueueSchedule {
  @text('The kind of job.') readonly name: string;
  @Field(() => Float, { description: 'Seconds until the next one; below 0 where it is overdue.' })
  readonly nextSeconds: number;
}

@ObjectType({ description: 'A job that is being done.' })
export class ActiveJob {
  @id('As that of `Job`.') readonly id: string;
  @text('The kind of job, as in `Job.name`.') readonly name: string;
  @Field(() => Float, { nullable: true, description: 'From 0 to 1; null while nothing is known.' })
  readonly progress: number | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'A queue of jobs. Counts are null while it does not answer: that is unknown, and not zero. See `jobs` for the jobs themselves.',
})
export class Queue {
  @id('`name`.') readonly id: string;
  @id('Its name.') readonly name: string;
  @Field(() => QueueBackend, { description: 'What keeps it.' })
  readonly backend: keyof typeof QueueBackend;
  @bool('Whether it answers.') readonly reachable: boolean;
  @text.orNull('Why it does not.') readonly reason: string | null;
  @int.orNull('Jobs for which no worker has had time yet.') readonly waiting: number | null;
  @int.orNull('Jobs that failed and wait until they are tried again.') readonly delayed: number | null;
  @int.orNull('Jobs that are being done.') readonly active: number | null;
  @int.orNull('Jobs that failed at their last try.') readonly failed: number | null;
  @Field(() => [QueueSchedule], { description: 'At most 20.', complexity: 20 })
  readonly schedules: readonly QueueSchedule[];
  @Field(() => [ActiveJob], {
    description: 'Some of the jobs that are being done, at most 20.',
    complexity: 20,
  })
  readonly activeJobs: readonly ActiveJob[];
}
