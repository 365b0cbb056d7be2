import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { SourceState } from '../../domain/events.js';
import { HEALTH_COMPONENTS, type HealthState } from '../../domain/health/health-rule.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { bool, dateTime, float, id, text } from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;

export const HealthComponents = enumOf(HEALTH_COMPONENTS);

registerEnumType(HealthComponents, {
  name: 'HealthComponent',
  description: 'The component that a health state is about.',
  valuesMap: {
    DA: { description: 'Whether its data reaches the DA layer.' },
    NODE: { description: 'Whether the node itself runs and makes progress.' },
    DA_NODE: {
      description:
        'Whether the DA node that it posts through answers, follows its chain, and its account has funds. Only where the settings name the DA node.',
    },
    EXECUTION: {
      description:
        'Whether its execution layer answers and is in step with it. Only where the settings name the execution layer.',
    },
    COVERAGE: {
      description:
        'Whether we saw all rows of its list: this depends on us, not on the node. Its history begins with the first period in which something may have been missed.',
    },
  },
});

export const HealthStates = enumOf<HealthState>(['HEALTHY', 'WARNING', 'CRITICAL', 'UNKNOWN']);

registerEnumType(HealthStates, {
  name: 'HealthState',
  description: 'State of a component, as we conclude it.',
  valuesMap: {
    HEALTHY: { description: 'It works.' },
    WARNING: { description: 'It works, with some failures; the reason says which.' },
    CRITICAL: { description: 'It does not work.' },
    UNKNOWN: { description: 'We could not see; the reason says why.' },
  },
});

@ObjectType({
  implements: () => [HasId],
  description:
    'A period in which a component was in one state. The intervals of a component follow each other without gaps.',
})
export class HealthInterval {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('When the state began; UTC.') readonly from: Nanos;
  @dateTime.orNull('When the state ended; UTC. Null for the current state.') readonly to: Nanos | null;
  @Field(() => HealthStates, { description: 'The state, as we conclude it.' }) readonly state: HealthState;
  @text('Name of the rule that decided.') readonly rule: string;
  @text(
    'The reason in words, with the numbers that decided. Ongoing trouble has the current cause and numbers; past trouble has those of its end.',
    { complexity: SENTENCE },
  )
  readonly reason: string;
  @text.orNull("The node's own claim during the interval, as sent.") readonly claim: string | null;
  @bool.orNull('Whether the claim contradicts our state.') readonly claimDiffers: boolean | null;
  @text.orNull(
    'The setting that decided, by its name in `thresholds` of `hindsight.yaml`; null if no setting decided.',
  )
  readonly setting: string | null;
  @float.orNull('Effective value of `setting`: milliseconds, or attempts for `failuresCount`.')
  readonly limit: number | null;
}

const Availabilities = enumOf<SourceState>([
  'AVAILABLE',
  'DISABLED',
  'NOT_AGGREGATOR',
  'NOT_SUPPORTED',
  'INVALID',
  'UNREACHABLE',
]);

registerEnumType(Availabilities, {
  name: 'Availability',
  description: "Result of requesting a node's list of submissions.",
  valuesMap: {
    AVAILABLE: { description: 'The list was read.' },
    DISABLED: { description: 'DA monitoring is switched off.' },
    NOT_AGGREGATOR: { description: 'The node does not submit.' },
    NOT_SUPPORTED: { description: "The node's version is known to be too old to have the list." },
    INVALID: { description: 'The answer was not a list.' },
    UNREACHABLE: { description: 'The node did not answer.' },
  },
});

@ObjectType({
  implements: () => [HasId],
  description: 'A period in which the list of submissions was in one state.',
})
export class AvailabilityInterval {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('When the state began; UTC.') readonly from: Nanos;
  @dateTime.orNull('When the state ended; UTC. Null for the current state.') readonly to: Nanos | null;
  @Field(() => Availabilities, { description: 'Result of the request.' }) readonly state: SourceState;
  @text(
    "The node's answer, or the reason why it did not answer, in one line; empty if there is nothing to report.",
    {
      complexity: SENTENCE,
    },
  )
  readonly detail: string;
}
