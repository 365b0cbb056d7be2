import { ObjectType } from '@nestjs/graphql';
import type { TroubledState } from '../../domain/health/trouble.js';
import type { Nanos } from '../../domain/time.js';
import { dateTime, exactInt64, field, id, int, sentence, text } from '../graphql/fields.js';
import { toNanos } from '../graphql/scalars.js';
import { HealthStates } from '../health/health.type.js';
import type { IncidentPartRow } from './incident-rows.js';

@ObjectType({ description: "A node's part of an incident." })
export class IncidentNode {
  @id('`Node.id`.') readonly nodeId: string;
  @dateTime('Its first sign; UTC.') readonly from: Nanos;
  @dateTime.orNull("When the calm that ended the node's trouble began; UTC. Null while it is ongoing.")
  readonly to: Nanos | null;
  @field(() => HealthStates, "The node's worst state.") readonly severity: TroubledState;
  @text(
    'The health rule that decides now. If the trouble of the node is over: the rule that decided longest while its state was worst.',
  )
  readonly rule: string;
  @sentence('Summary for this node, in words: see `Incident.reason`.') readonly reason: string;
  @int("Number of the node's intervals of trouble.") readonly signs: number;
  @exactInt64('Position of the event that first reported its first sign.') readonly position: bigint;
}

export function toIncidentNode({ node, from, to, position, ...rest }: IncidentPartRow): IncidentNode {
  return Object.assign(new IncidentNode(), {
    ...rest,
    nodeId: node,
    from: toNanos(BigInt(from)),
    to: to === null ? null : toNanos(BigInt(to)),
    position: BigInt(position),
  });
}
