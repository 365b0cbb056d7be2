import { ArgsType, Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { SystemOutcome } from '../../domain/events.js';
import type { HealthState } from '../../domain/health/health-rule.js';
import type { Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, exactInt64, float, id, ids, int, text, texts } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { HealthStates } from '../health/health.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';
import { MOST_ACCOUNTS } from '../../domain/health/da-node-facts.js';

const SystemOutcomes = enumOf<SystemOutcome>(['OK', 'UNREACHABLE', 'REFUSED', 'NOT_PERMITTED', 'INVALID']);

registerEnumType(SystemOutcomes, {
  name: 'SystemOutcome',
  description: 'Result of polling a system behind a node.',
  valuesMap: {
    OK: { description: 'It answered.' },
    UNREACHABLE: { description: 'No connection, or no answer in time.' },
    REFUSED: { description: 'The token of Hindsight is wrong, expired or missing.' },
    NOT_PERMITTED: { description: 'The token of Hindsight lacks the permission to read.' },
    INVALID: { description: 'The answer could not be used.' },
  },
});

@ArgsType()
export class DaNodeArgs extends TravelArgs {
  @ids.orNull('Ids of rollup nodes; all if left out. An empty list matches nothing.')
  nodes?: string[] | null;
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
  @Field(() => HealthStates, {
    nullable: true,
    description: 'Its health by our rules; null before the first poll is judged.',
  })
  readonly state: HealthState | null;
  @text.orNull('Name of the rule of health that decided.') readonly rule: string | null;
  @text.orNull('The reason in words, with the numbers that decided.', { complexity: 15 })
  readonly reason: string | null;
  @Field(() => SystemOutcomes, { description: 'Result of the last poll that changed it.' })
  readonly outcome: SystemOutcome;
  @dateTime('Time of that poll, by our clock; UTC.') readonly since: Nanos;
  @int.orNull('HTTP status of that poll; null without an answer.') readonly statusCode: number | null;
  @text('Why it does not answer, in one line; empty if it does.', { complexity: 15 })
  readonly detail: string;
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
  @Field(() => DaSampling, { nullable: true, description: 'Its sampling; null if it does not say.' })
  readonly sampling: DaSampling | null;
  @exactInt64.orNull(
    'DA height of the consensus node when the head was observed; null if the settings name none, or it did not answer.',
  )
  readonly consensusHead: bigint | null;
  @dateTime.orNull("That block's own time; UTC.") readonly consensusHeadAt: Nanos | null;
  @Field(() => DaTokenRights, {
    nullable: true,
    description: 'Rights of our token; null without a token that can be read.',
  })
  readonly token: DaTokenRights | null;
  @RowsOf(MOST_ACCOUNTS)
  @ids('Addresses of the accounts whose balances it reported, sorted; `accounts` has the balances.')
  readonly accounts: readonly string[];
}
