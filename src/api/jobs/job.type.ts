import { ObjectType } from '@nestjs/graphql';
import type { QueuedJobState } from '../../platform/queues/job-queue.js';
import { dateTime, field, float, id, int, json, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { HasId } from '../objects/has-id.type.js';

export const JobStates = enumOf<QueuedJobState>('JobState', 'State of a job.', {
  WAITING: 'It waits for a worker.',
  DELAYED: 'It waits for its next attempt.',
  ACTIVE: 'A worker is running it.',
  COMPLETED: 'It is done. Shown for a week.',
  FAILED: 'Its last attempt failed. Shown for a month; `retryJob` runs it again.',
});

@ObjectType({
  implements: () => [HasId],
  description: 'A background task of the workers, retried when it fails.',
})
export class Job {
  @id('The id that the queue gave it.') readonly id: string;
  @text('The kind of job: `roll-up`, `recompute-statistics`, `rebuild`.') readonly name: string;
  @field(() => JobStates, 'Its current state.') readonly state: QueuedJobState;
  @json('Parameters of the request.') readonly data: unknown;
  @float.orNull('From 0 to 1; null while nothing is known.') readonly progress: number | null;
  @int('How often it was started.') readonly attempts: number;
  @text.orNull('Why the last attempt failed; null if no attempt failed.')
  readonly failedReason: string | null;
  @dateTime('When it was requested; UTC.') readonly createdAt: bigint;
  @dateTime.orNull('When it was last started; UTC. Null until then.') readonly startedAt: bigint | null;
  @dateTime.orNull('When it ended, successfully or not; UTC. Null until then.')
  readonly finishedAt: bigint | null;
}
