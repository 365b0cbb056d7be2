import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { SourceState } from '../../domain/events.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { bool, dateTime, float, id, text } from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;

export const HealthComponents = enumOf<HealthComponent>(['DA', 'NODE', 'COVERAGE']);

registerEnumType(HealthComponents, {
  name: 'HealthComponent',
  description: 'Of what health is told.',
  valuesMap: {
    DA: { description: 'Whether its data reaches the DA layer.' },
    NODE: { description: 'Whether the node itself runs and moves on.' },
    COVERAGE: {
      description:
        'Whether we saw all of its list, which is our own doing. Its line begins with the first time in which something may have been missed.',
    },
  },
});

export const HealthStates = enumOf<HealthState>(['HEALTHY', 'WARNING', 'CRITICAL', 'UNKNOWN']);

registerEnumType(HealthStates, {
  name: 'HealthState',
  description: 'How a component fares, as we conclude it.',
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
    'A time in which a component was in one state. The intervals of a component join without gaps.',
})
export class HealthInterval {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('`from`, under the name that charts look for.') readonly time: Nanos;
  @dateTime('When the state began; UTC.') readonly from: Nanos;
  @dateTime.orNull('When it ended; UTC. Null for the present one.') readonly to: Nanos | null;
  @Field(() => HealthStates, { description: 'The state, as we conclude it.' }) readonly state: HealthState;
  @text('Name of the rule that decided.') readonly rule: string;
  @text(
    'Why, for a person, with the numbers that decided. Trouble that lasts: with the cause and the numbers of now; that is over: with those of its end.',
    { complexity: SENTENCE },
  )
  readonly reason: string;
  @text.orNull('What the node said of itself meanwhile, as sent.') readonly claim: string | null;
  @bool.orNull('Whether that contradicts our state.') readonly claimDiffers: boolean | null;
  @text.orNull(
    'The setting that decided, by its name in `thresholds` of `hindsight.yaml`; null where none did.',
  )
  readonly setting: string | null;
  @float.orNull('What that setting came to: milliseconds, or attempts for `failuresCount`.')
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
  description: 'What became of asking for the list of submissions.',
  valuesMap: {
    AVAILABLE: { description: 'The list was read.' },
    DISABLED: { description: 'DA monitoring is switched off.' },
    NOT_AGGREGATOR: { description: 'The node does not submit.' },
    NOT_SUPPORTED: { description: 'A version known to be too old for it.' },
    INVALID: { description: 'An answer that is no list.' },
    UNREACHABLE: { description: 'No answer.' },
  },
});

@ObjectType({
  implements: () => [HasId],
  description: 'A time in which the list of submissions was in one state.',
})
export class AvailabilityInterval {
  @id('Ours, and stable; `object` finds it by it.') readonly id: string;
  @dateTime('`from`, under the name that charts look for.') readonly time: Nanos;
  @dateTime('When the state began; UTC.') readonly from: Nanos;
  @dateTime.orNull('When it ended; UTC. Null for the present one.') readonly to: Nanos | null;
  @Field(() => Availabilities, { description: 'What became of asking.' }) readonly state: SourceState;
  @text('What the node answered, or why it did not, in a line; empty where there is nothing to say.', {
    complexity: SENTENCE,
  })
  readonly detail: string;
}
