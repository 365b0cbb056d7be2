import { ArgsType, Field, Float, ObjectType } from '@nestjs/graphql';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { Millis, Nanos } from '../../domain/time.js';
import type { ReportBucket } from '../../statistics/read/plan/report-request.js';
import { Int64Field } from '../graphql/exact-field.js';
import { dateTime, id, ids, text } from '../graphql/fields.js';
import { HealthComponents } from '../health/health.type.js';
import { Buckets } from '../statistics/report-args.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

const KNOWN_AT = 'By what was recorded by this time; nothing is known of what is later.';

@ArgsType()
export class UptimeArgs {
  @id('Id of the node.') node: string;
  @Field(() => HealthComponents, { nullable: true, defaultValue: 'DA', description: 'Of what.' })
  component?: HealthComponent | null;
  @Field(() => Buckets, { description: 'How much time a row covers.' }) bucket: ReportBucket;
  @dateTime.orNull(
    'Inclusive; where it cuts a bucket, that one holds the rest. The bucket of the first look when left out: what of it lies before that look is unknown time.',
  )
  from?: Nanos | null;
  @dateTime.orNull('Exclusive; now when left out.') to?: Nanos | null;
  @text.orNull(
    "IANA name of the zone of days, such as `Europe/Berlin`; that of the node's chain when left out.",
  )
  timeZone?: string | null;
  @dateTime.orNull(KNOWN_AT) knownAt?: Nanos | null;
}

@ArgsType()
export class UptimeOfNodesArgs {
  @ids('Ids of the nodes, at most 1,000. Of one that is not known all is unknown time.') nodes: string[];
  @Field(() => HealthComponents, { nullable: true, defaultValue: 'DA', description: 'Of what.' })
  component?: HealthComponent | null;
  @Field(() => Buckets, { description: 'How much time a row covers.' }) bucket: ReportBucket;
  @dateTime('Inclusive; where it cuts a bucket, that one holds the rest.') from: Nanos;
  @dateTime('Exclusive.') to: Nanos;
  @text.orNull('IANA name of the zone of days, such as `Europe/Berlin`; UTC when left out.')
  timeZone?: string | null;
  @dateTime.orNull(KNOWN_AT) knownAt?: Nanos | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'How a component of a node fared in a bucket. The four lengths add up to the part of the bucket that was asked for and is past.',
})
export class UptimeRow {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @id('Id of the node.') readonly node: string;
  @dateTime('Start of the bucket.') readonly time: Nanos;
  @Int64Field({ description: 'Milliseconds in which it worked: counts as up.' }) readonly healthyMs: Millis;
  @Int64Field({ description: 'Milliseconds with some failures, in which it worked: counts as up.' })
  readonly warningMs: Millis;
  @Int64Field({ description: 'Milliseconds in which it did not work: counts as down.' })
  readonly criticalMs: Millis;
  @Int64Field({
    description:
      'Milliseconds in which we could not see, or did not look yet, or do not any more: neither up nor down.',
  })
  readonly unknownMs: Millis;
  @Field(() => Float, {
    nullable: true,
    description:
      '`(healthyMs + warningMs) / (healthyMs + warningMs + criticalMs)`: the share of what is known. Unknown time never counts as up, nor as down; null where nothing is known. See `unknownMs` for how much that leaves out.',
  })
  readonly uptime: number | null;
}
