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
  description: 'What became of a job so far.',
  valuesMap: {
    WAITING: { description: 'It waits for a worker to take it.' },
    DELAYED: { description: 'It waits until it is tried again.' },
    ACTIVE: { description: 'A worker does it.' },
    COMPLETED: { description: 'It is done. Shown for a week.' },
    FAILED: { description: 'Its last try failed. Shown for a month; `retryJob` runs it again.' },
  },
});

@ObjectType({
  implements: () => [HasId],
  description: 'Something that the workers do: in the background, and again when it fails.',
})
export class Job {
  @Field(() => ID, { description: 'The id that the queue gave it.' })
  readonly id: string;

  @Field(() => String, { description: 'What is done: `roll-up`, `recompute-statistics`, `rebuild`.' })
  readonly name: string;

  @Field(() => JobState, { description: 'What became of it so far.' })
  readonly state: JobState;

  @Field(() => Json, { description: 'What it was asked for with.' })
  readonly data: unknown;

  @Field(() => Float, { nullable: true, description: 'From 0 to 1; null while nothing is known.' })
  readonly progress: number | null;

  @Field(() => Int, { description: 'How often it was begun.' })
  readonly attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last try failed; null where none did.' })
  readonly failedReason: string | null;

  @Field(() => DateTime, { description: 'When it was asked for; UTC.' })
  readonly createdAt: bigint;

  @Field(() => DateTime, { nullable: true, description: 'When it was last begun; UTC. Null before.' })
  readonly startedAt: bigint | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ended, well or not; UTC. Null before.' })
  readonly finishedAt: bigint | null;
}
