import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../graphql/scalars.js';

/** Cost of a text of a line or two. */
const SENTENCE = 15;

export enum HealthComponent {
  DA = 'DA',
  NODE = 'NODE',
}

registerEnumType(HealthComponent, {
  name: 'HealthComponent',
  valuesMap: {
    DA: { description: 'Whether its data reaches the DA layer.' },
    NODE: { description: 'Whether the node itself runs and moves on.' },
  },
});

export enum HealthState {
  HEALTHY = 'HEALTHY',
  WARNING = 'WARNING',
  CRITICAL = 'CRITICAL',
  UNKNOWN = 'UNKNOWN',
}

registerEnumType(HealthState, {
  name: 'HealthState',
  valuesMap: {
    HEALTHY: {},
    WARNING: {},
    CRITICAL: {},
    UNKNOWN: { description: 'We could not see; the reason says why.' },
  },
});

@ObjectType({
  description:
    'A time in which a component was in one state. The intervals of a component join without gaps.',
})
export class HealthInterval {
  @Field(() => DateTime)
  readonly from: bigint;

  @Field(() => DateTime, { nullable: true, description: 'Null for the present one.' })
  readonly to: bigint | null;

  @Field(() => HealthState)
  readonly state: HealthState;

  @Field(() => String, { description: 'Name of the rule that decided.' })
  readonly rule: string;

  @Field(() => String, {
    complexity: SENTENCE,
    description: 'Why, for a person, with the numbers that decided.',
  })
  readonly reason: string;

  @Field(() => String, { nullable: true, description: 'What the node said of itself meanwhile, as sent.' })
  readonly claim: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether that contradicts our state.' })
  readonly claimDiffers: boolean | null;
}

export enum Availability {
  AVAILABLE = 'AVAILABLE',
  DISABLED = 'DISABLED',
  NOT_AGGREGATOR = 'NOT_AGGREGATOR',
  NOT_SUPPORTED = 'NOT_SUPPORTED',
  INVALID = 'INVALID',
  UNREACHABLE = 'UNREACHABLE',
}

registerEnumType(Availability, {
  name: 'Availability',
  description: 'What became of asking for the list of submissions.',
  valuesMap: {
    AVAILABLE: {},
    DISABLED: { description: 'DA monitoring is switched off.' },
    NOT_AGGREGATOR: { description: 'The node does not submit.' },
    NOT_SUPPORTED: { description: 'A version known to be too old for it.' },
    INVALID: { description: 'An answer that is no list.' },
    UNREACHABLE: { description: 'No answer.' },
  },
});

@ObjectType({ description: 'A time in which the list of submissions was in one state.' })
export class AvailabilityInterval {
  @Field(() => DateTime)
  readonly from: bigint;

  @Field(() => DateTime, { nullable: true, description: 'Null for the present one.' })
  readonly to: bigint | null;

  @Field(() => Availability)
  readonly state: Availability;

  @Field(() => String, { complexity: SENTENCE })
  readonly detail: string;
}
