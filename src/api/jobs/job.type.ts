import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime, Json } from '../graphql/scalars.js';

export enum JobState {
  WAITING = 'WAITING',
  DELAYED = 'DELAYED',
  ACTIVE = 'ACTIVE',
  COMPLETED = 'COMPLETED',
  FAILED = 'FAILED',
}

registerEnumType(JobState, {
  name: 'JobState',
  valuesMap: {
    WAITING: { description: 'For a worker to take it.' },
    DELAYED: { description: 'Until it is tried again.' },
    ACTIVE: {},
    COMPLETED: { description: 'Shown for a week.' },
    FAILED: { description: 'After its last try. Shown for a month; `retryJob` runs it again.' },
  },
});

@ObjectType({ description: 'Something that the workers do: in the background, and again when it fails.' })
export class Job {
  @Field(() => ID)
  readonly id: string;

  @Field(() => String, { description: 'What is done: `roll-up`, `recompute-statistics`, `rebuild`.' })
  readonly name: string;

  @Field(() => JobState)
  readonly state: JobState;

  @Field(() => Json, { description: 'With what.' })
  readonly data: unknown;

  @Field(() => Float, { nullable: true, description: 'From 0 to 1; null while nothing is known.' })
  readonly progress: number | null;

  @Field(() => Int, { description: 'How often it was begun.' })
  readonly attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last try failed.' })
  readonly failedReason: string | null;

  @Field(() => DateTime)
  readonly createdAt: bigint;

  @Field(() => DateTime, { nullable: true, description: 'When it was last begun.' })
  readonly startedAt: bigint | null;

  @Field(() => DateTime, { nullable: true })
  readonly finishedAt: bigint | null;
}
