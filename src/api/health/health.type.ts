import { ObjectType } from '@nestjs/graphql';
import type { SourceState } from '../../domain/events.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import type { Nanos } from '../../domain/time.js';
import { enumOf } from '../graphql/literal-enum.js';
import { bool, dateTime, field, float, id, sentence, text } from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

export const HealthComponents = enumOf<HealthComponent>(
  'HealthComponent',
  'The component that a health state is about.',
  {
    DA: 'Whether its data reaches the DA layer.',
    NODE: 'Whether the node itself runs and makes progress.',
    DA_NODE:
      'Whether the DA node that it posts through answers, follows its chain, and its account has funds. Only where the settings name the DA node.',
    EXECUTION:
      'Whether its execution layer answers and is in step with it. Only where the settings name the execution layer.',
    COVERAGE:
      'Whether we saw all rows of its list: this depends on us, not on the node. Its history begins with the first period in which something may have been missed.',
  },
);

export const HealthStates = enumOf<HealthState>('HealthState', 'State of a component, as we conclude it.', {
  HEALTHY: 'It works.',
  WARNING: 'It works, with some failures; the reason says which.',
  CRITICAL: 'It does not work.',
  UNKNOWN: 'We could not see; the reason says why.',
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
  @field(() => HealthStates, 'The state, as we conclude it.') readonly state: HealthState;
  @text('Name of the rule that decided.') readonly rule: string;
  @sentence(
    'The reason in words, with the numbers that decided. Ongoing trouble has the current cause and numbers; past trouble has those of its end.',
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

const Availabilities = enumOf<SourceState>(
  'Availability',
  "Result of requesting a node's list of submissions.",
  {
    AVAILABLE: 'The list was read.',
    DISABLED: 'DA monitoring is switched off.',
    NOT_AGGREGATOR: 'The node does not submit.',
    NOT_SUPPORTED: "The node's version is known to be too old to have the list.",
    INVALID: 'The answer was not a list.',
    UNREACHABLE: 'The node did not answer.',
  },
);

@ObjectType({
  implements: () => [HasId],
  description: 'A period in which the list of submissions was in one state.',
})
export class AvailabilityInterval {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('When the state began; UTC.') readonly from: Nanos;
  @dateTime.orNull('When the state ended; UTC. Null for the current state.') readonly to: Nanos | null;
  @field(() => Availabilities, 'Result of the request.') readonly state: SourceState;
  @sentence(
    "The node's answer, or the reason why it did not answer, in one line; empty if there is nothing to report.",
  )
  readonly detail: string;
}
