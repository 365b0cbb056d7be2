import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { HealthState } from '../../domain/health/health-rule.js';
import type { Nanos } from '../../domain/time.js';
import { bool, dateTime, exactInt64, field, id, ids, sentence, text } from '../graphql/fields.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { HealthStates } from '../health/health.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

@ArgsType()
export class ExecutionLayerArgs extends TravelArgs {
  @ids.orNull('Ids of rollup nodes; all if left out. An empty list matches nothing.') nodes?: string[] | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'The execution layer of a rollup node, as Hindsight polls it. Only for nodes whose settings name it; its address is not recorded.',
})
export class ExecutionLayer {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @id('Id of the rollup node.') readonly nodeId: string;
  @field(() => HealthStates, 'Its health.') readonly state: HealthState;
  @text('The rule that decided the state.') readonly rule: string;
  @sentence('Why, in a sentence.') readonly reason: string;
  @dateTime('Since when it is in this state; UTC.') readonly since: Nanos;
  @exactInt64.orNull('Its newest block at the last poll that it answered; null before the first.')
  readonly head: bigint | null;
  @dateTime.orNull("The head's own time; UTC.") readonly headAt: Nanos | null;
  @exactInt64.orNull(
    'The newest height that the rollup node had executed at that poll; null if it did not answer.',
  )
  readonly rollupHeight: bigint | null;
  @exactInt64.orNull('Blocks that the head is behind the rollup; below 0: ahead. Null if either is unknown.')
  readonly lagBlocks: bigint | null;
  @exactInt64.orNull('The height whose state was compared last; null if nothing could be compared.')
  readonly comparedHeight: bigint | null;
  @bool.orNull(
    'Whether both have the same state at this height: `app_hash` of the next header and state root.',
  )
  readonly agrees: boolean | null;
  @exactInt64.orNull('The lowest height at which both differ, as far as it was found.')
  readonly firstDifference: bigint | null;
}
