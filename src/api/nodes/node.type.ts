import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { NodeShape } from '../../domain/events.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { HealthInterval } from '../health/health.type.js';
import { Int64, DateTime } from '../graphql/scalars.js';

const NodeShapes = enumOf<NodeShape>(['SPEC', 'EV_NODE']);

registerEnumType(NodeShapes, {
  name: 'NodeShape',
  description: 'Which form a node gives its answers.',
  valuesMap: {
    SPEC: { description: 'As the specification has them: snake_case, integers.' },
    EV_NODE: {
      description: 'As the real node has them: camelCase, 64-bit integers as strings, bytes in base64.',
    },
  },
});

@ObjectType({ description: 'A monitored node and its present state.' })
export class Node {
  /** Short key of the tables; not shown. */
  readonly nodeKey: number;

  @Field(() => ID, { description: 'The id from the settings.' })
  readonly id: string;

  @Field(() => String, { description: 'Base address of its RPC server.' })
  readonly url: string;

  @Field(() => String, { nullable: true, description: 'Null until it has said its chain.' })
  readonly chain: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it submits to the DA layer; null while unknown.',
  })
  readonly aggregator: boolean | null;

  @Field(() => NodeShapes, { nullable: true })
  readonly shape: NodeShape | null;

  @Field(() => String, { nullable: true, description: 'Prefix of its store service, such as `evnode.v1`.' })
  readonly servicePrefix: string | null;

  @Field(() => Int64, { nullable: true, description: 'Its newest height.' })
  readonly head: bigint | null;

  @Field(() => Int64, { nullable: true, description: 'The oldest height that it still has.' })
  readonly oldest: bigint | null;

  @Field(() => Int64, {
    nullable: true,
    description:
      'The height up to which every recorded block is included, header and data; null while none is known to be.',
  })
  readonly inclusionFrontier: bigint | null;

  @Field(() => Int64, {
    nullable: true,
    description:
      'Blocks produced and not yet included: `head` minus `inclusionFrontier`. Null where either is unknown.',
  })
  readonly pending: bigint | null;

  @Field(() => HealthInterval, {
    nullable: true,
    complexity: 5,
    description: 'The present state of its data availability.',
  })
  readonly da?: HealthInterval | null;

  @Field(() => HealthInterval, {
    nullable: true,
    complexity: 5,
    description: 'The present state of the node itself.',
  })
  readonly node?: HealthInterval | null;

  @Field(() => String, {
    nullable: true,
    complexity: 5,
    description: 'The status of its own `/da/health`, as sent.',
  })
  readonly claim?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    complexity: 5,
    description:
      'Whether `claim` contradicts our state: one says healthy, the other critical. Null where there is nothing to compare.',
  })
  readonly claimDiffers?: boolean | null;

  @Field(() => Int64, { description: 'Rows recorded from its list of submissions.' })
  readonly submissionCount: bigint;

  @Field(() => Int64, { description: 'Blocks recorded from it.' })
  readonly blockCount: bigint;

  @Field(() => DateTime, { nullable: true, description: 'Time of its newest successful submission.' })
  readonly lastSuccessAt: Nanos | null;

  @Field(() => DateTime, { nullable: true, description: 'When it last answered anything.' })
  readonly lastSeenAt: Nanos | null;

  @Field(() => Boolean, { description: 'No longer in the settings; what it showed is kept.' })
  readonly retired: boolean;
}
