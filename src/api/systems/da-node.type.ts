import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { SystemOutcome } from '../../domain/events.js';
import type { HealthState } from '../../domain/health/health-rule.js';
import type { Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import {
  bool,
  dateTime,
  exactInt64,
  field,
  float,
  id,
  ids,
  int,
  sentence,
  text,
  texts,
} from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { HealthStates } from '../health/health.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';
import { MOST_ACCOUNTS } from '../../domain/health/da-node-facts.js';

const SystemOutcomes = enumOf<SystemOutcome>('SystemOutcome', 'Result of polling a system behind a node.', {
  OK: 'It answered.',
  UNREACHABLE: 'No connection, or no answer in time.',
  REFUSED: 'The token of Hindsight is wrong, expired or missing.',
  NOT_PERMITTED: 'The token of Hindsight lacks the permission to read.',
  INVALID: 'The answer could not be used.',
});

@ArgsType()
export class DaNodeArgs extends TravelArgs {
  @ids.orNull('Ids of rollup nodes; all if left out. An empty list matches nothing.') nodes?: string[] | null;
}

@ObjectType({ description: 'The token of Hindsight for a DA node, by its own payload.' })
export class DaTokenRights {
  @texts('Permissions, for example `public` and `read`; sorted.') readonly permissions: readonly string[];
  @dateTime.orNull('When it expires; UTC. Null if it never does.') readonly expiresAt: Nanos | null;
  @bool('Whether it can do more than read, which Hindsight never needs.') readonly mayWrite: boolean;
}

@ObjectType({ description: 'How a DA node samples the headers of its chain.' })
export class DaSampling {
  @bool('Whether sampling runs.') readonly running: boolean;
  @int('Heights whose samples failed.') readonly failed: number;
  @exactInt64.orNull('The height up to which everything is sampled.') readonly head: bigint | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'The DA node that a rollup node posts through, as Hindsight polls it. Only for nodes whose settings name it; its address is not recorded.',
})
export class DaNode {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @id('Id of the rollup node.') readonly nodeId: string;
  @text.orNull("Today's chain of the rollup node; null until the node has reported it.") readonly chain:
    string | null;
  @field.orNull(() => HealthStates, 'Its health by our rules; null before the first poll is judged.')
  readonly state: HealthState | null;
  @text.orNull('Name of the rule of health that decided.') readonly rule: string | null;
  @sentence.orNull('The reason in words, with the numbers that decided.') readonly reason: string | null;
  @field(() => SystemOutcomes, 'Result of the last poll that changed it.') readonly outcome: SystemOutcome;
  @dateTime('Time of that poll, by our clock; UTC.') readonly since: Nanos;
  @int.orNull('HTTP status of that poll; null without an answer.') readonly statusCode: number | null;
  @sentence('Why it does not answer, in one line; empty if it does.') readonly detail: string;
  @text.orNull('The DA chain, as its newest header names it; null while unknown.') readonly daChain:
    string | null;
  @exactInt64.orNull('DA height of its newest header; null while unknown.') readonly head: bigint | null;
  @dateTime.orNull("The newest header's own time; UTC.") readonly headAt: Nanos | null;
  @float.orNull(
    'Age of the newest header in milliseconds; null while the DA node does not answer or is not monitored. Only the age shows that a DA chain halted.',
  )
  readonly headAgeMs: number | null;
  @exactInt64.orNull('The height up to which it synchronises; null if it does not say.') readonly syncTo:
    bigint | null;
  @field.orNull(() => DaSampling, 'Its sampling; null if it does not say.')
  readonly sampling: DaSampling | null;
  @exactInt64.orNull(
    'DA height of the consensus node when the head was observed; null if the settings name none, or it did not answer.',
  )
  readonly consensusHead: bigint | null;
  @dateTime.orNull("That block's own time; UTC.") readonly consensusHeadAt: Nanos | null;
  @field.orNull(() => DaTokenRights, 'Rights of our token; null without a token that can be read.')
  readonly token: DaTokenRights | null;
  @RowsOf(MOST_ACCOUNTS)
  @ids('Addresses of the accounts whose balances it reported, sorted; `accounts` has the balances.')
  readonly accounts: readonly string[];
}
