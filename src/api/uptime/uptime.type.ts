import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { Millis, Nanos } from '../../domain/time.js';
import type { ReportBucket } from '../../statistics/read/plan/report-request.js';
import { dateTime, exactInt64, field, float, id, ids, text } from '../graphql/fields.js';
import { HealthComponents } from '../health/health.type.js';
import { Buckets } from '../statistics/report-args.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

const KNOWN_AT = 'Only what was recorded by this time; later time is unknown.';

@ArgsType()
export class UptimeArgs {
  @id('Id of the node.') node: string;
  @field.orNull(() => HealthComponents, 'The component.', { defaultValue: 'DA' })
  component?: HealthComponent | null;
  @field(() => Buckets, 'How much time a row covers.') bucket: ReportBucket;
  @dateTime.orNull(
    'Inclusive; a bucket that it cuts has the rest. If left out: the bucket of the first poll, in which the time before that poll is unknown.',
  )
  from?: Nanos | null;
  @dateTime.orNull('Exclusive; now if left out.') to?: Nanos | null;
  @text.orNull(
    "IANA name of the time zone for days, such as `Europe/Berlin`; the zone of the node's chain if left out.",
  )
  timeZone?: string | null;
  @dateTime.orNull(KNOWN_AT) knownAt?: Nanos | null;
}

@ArgsType()
export class UptimeOfNodesArgs {
  @ids('Ids of the nodes, at most 1,000. For an unknown node, all time is unknown.') nodes: string[];
  @field.orNull(() => HealthComponents, 'The component.', { defaultValue: 'DA' })
  component?: HealthComponent | null;
  @field(() => Buckets, 'How much time a row covers.') bucket: ReportBucket;
  @dateTime('Inclusive; a bucket that it cuts has the rest.') from: Nanos;
  @dateTime('Exclusive.') to: Nanos;
  @text.orNull('IANA name of the time zone for days, such as `Europe/Berlin`; UTC if left out.')
  timeZone?: string | null;
  @dateTime.orNull(KNOWN_AT) knownAt?: Nanos | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'Uptime of a component of a node in a bucket. The four durations add up to the part of the bucket that was requested and is past.',
})
export class UptimeRow {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @id('Id of the node.') readonly node: string;
  @dateTime('Start of the bucket.') readonly time: Nanos;
  @exactInt64('Milliseconds in which it worked: counts as up.') readonly healthyMs: Millis;
  @exactInt64('Milliseconds with some failures, in which it worked: counts as up.')
  readonly warningMs: Millis;
  @exactInt64('Milliseconds in which it did not work: counts as down.') readonly criticalMs: Millis;
  @exactInt64(
    'Milliseconds in which we could not see it, or did not monitor it yet or any longer: neither up nor down.',
  )
  readonly unknownMs: Millis;
  @float.orNull(
    '`(healthyMs + warningMs) / (healthyMs + warningMs + criticalMs)`: the share of the known time. Unknown time counts neither as up nor as down; null if nothing is known. `unknownMs` is the time left out.',
  )
  readonly uptime: number | null;
}
