import { ObjectType } from '@nestjs/graphql';
import { exactInt64, bool, dateTime, float, text, texts } from '../graphql/fields.js';

@ObjectType({ description: 'How Hindsight itself is. What is not known is null.' })
export class Service {
  @text('Its release.') readonly version: string;
  @bool('Whether it records what it shall, and answers what is true; as `/health/ready` says.')
  readonly ready: boolean;
  @text.orNull('Why it is not; null where it is.') readonly reason: string | null;
  @texts('What is not as it should be although questions are answered, a sentence each.')
  readonly degraded: readonly string[];
  @exactInt64.orNull('Position of the last event of the log.') readonly position: bigint | null;
  @float.orNull('Seconds by which the read model that is furthest behind is behind the log; 0 where none is.')
  readonly behindSeconds: number | null;
  @float.orNull('Seconds since the oldest change that is not in the statistics yet; 0 where all are.')
  readonly statisticsBehindSeconds: number | null;
  @exactInt64.orNull(
    'Events of the log that lists and figures lack; 0 but for the last seconds, which are read at once.',
  )
  readonly unreadEvents: bigint | null;
  @dateTime.orNull(
    'Facts of this time and later are missing in lists and figures; 1970 while those of all times are. Null: `unreadEvents` is 0. As long as it is not, an empty list proves nothing, and every answer says so under `extensions.unread`.',
  )
  readonly unreadFrom: bigint | null;
  @exactInt64.orNull('Bytes of the log on disk.') readonly logBytes: bigint | null;
  @exactInt64.orNull('Bytes of what is computed from it.') readonly readModelBytes: bigint | null;
  @exactInt64.orNull('Bytes that are free on the disk.') readonly freeBytes: bigint | null;
  @float.orNull('Days until the disk is full, at the pace of the last day; null also where nothing grows.')
  readonly daysLeft: number | null;
}
