import { ObjectType } from '@nestjs/graphql';
import { exactInt64, bool, dateTime, float, text, texts } from '../graphql/fields.js';

@ObjectType({ description: 'State of Hindsight itself. Unknown values are null.' })
export class Service {
  @text('Its release.') readonly version: string;
  @bool(
    'Whether it records everything it should, and answers correctly; the same as `/health/ready` reports.',
  )
  readonly ready: boolean;
  @text.orNull('Why the service is not ready; null if it is.') readonly reason: string | null;
  @texts('Problems that do not keep queries from being answered, one sentence each.')
  readonly degraded: readonly string[];
  @exactInt64.orNull('Position of the last event of the log.') readonly position: bigint | null;
  @float.orNull('Seconds by which the slowest read model is behind the log; 0 if no read model is behind.')
  readonly behindSeconds: number | null;
  @float.orNull(
    'Seconds since the oldest change that is not in the statistics yet; 0 if they have all changes.',
  )
  readonly statisticsBehindSeconds: number | null;
  @exactInt64.orNull(
    'Events of the log that lists and figures lack. Events of the last seconds, which are read at once, do not count.',
  )
  readonly unreadEvents: bigint | null;
  @dateTime.orNull(
    'Facts from this time on are missing in lists and figures; 1970 if facts of all times may be missing. Null if `unreadEvents` is 0. While `unreadEvents` is not 0, an empty list proves nothing, and every answer says so under `extensions.unread`.',
  )
  readonly unreadFrom: bigint | null;
  @exactInt64.orNull('Bytes of the log on disk.') readonly logBytes: bigint | null;
  @exactInt64.orNull('Bytes of the read models, which are computed from the log.') readonly readModelBytes:
    bigint | null;
  @exactInt64.orNull('Bytes that are free on the disk.') readonly freeBytes: bigint | null;
  @float.orNull('Days until the disk is full, at the pace of the last day; also null if nothing grows.')
  readonly daysLeft: number | null;
}
