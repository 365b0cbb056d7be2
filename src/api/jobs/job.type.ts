import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, Json } from '../graphql/scalars.js';
import { HasId } from '../objects/has-id.type.js';

export enum JobState {
  WAITING = 'WAITING',
  DELAYED = 'DELAYED',
  ACTIVE = 'ACTIVE',
  COMPLETED = 'COMPLETED',
  FAILED = 'FAILED',
}

registerEnumType(JobState, {
  name: 'JobState',
  description: 'State of a job.',
  valuesMap: {
    WAITING: { description: 'It waits for a worker.' },
    DELAYED: { description: 'It waits for its next attempt.' },
    ACTIVE: { description: 'A worker is running it.' },
    COMPLETED: { description: 'It is done. Shown for a week.' },
    FAILED: { description: 'Its last attempt failed. Shown for a month; `retryJob` runs it again.' },
  },
});

@ObjectType({
  implements: () => [HasId],
  description: 'A background task of the workers, retried when it fails.',
})
export class Job {
  @Field(() => ID, { description: 'The id that the queue gave it.' })
  readonly id: string;

  @Field(() => String, { description: 'The kind of job: `roll-up`, `recompute-statistics`, `rebuild`.' })
  readonly name: string;

  @Field(() => JobState, { description: 'Its current state.' })
  readonly state: JobState;

  @Field(() => Json, { description: 'Parameters of the request.' })
  readonly data: unknown;

  @Field(() => Float, { nullable: true, description: 'From 0 to 1; null while nothing is known.' })
  readonly progress: number | null;

  @Field(() => Int, { description: 'How often it was started.' })
  readonly attempts: number;

  @Field(() => String, {
    nullable: true,
    description: 'Why the last attempt failed; null if no attempt failed.',
  })
  readonly failedReason: string | null;

  @Field(() => DateTime, { description: 'When it was requested; UTC.' })
  readonly createdAt: bigint;

  @Field(() => DateTime, { nullable: true, description: 'When it was last started; UTC. Null until then.' })
  readonly startedAt: bigint | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it ended, successfully or not; UTC. Null until then.',
  })
  readonly finishedAt: bigint | null;
}
