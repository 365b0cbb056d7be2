import { Field, ObjectType } from '@nestjs/graphql';
import type { TroubledState } from '../../domain/health/trouble.js';
import type { Nanos } from '../../domain/time.js';
import { dateTime, exactInt64, id, int, text } from '../graphql/fields.js';
import { toNanos } from '../graphql/scalars.js';
import { HealthStates } from '../health/health.type.js';
import type { IncidentPartRow } from './incident-rows.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;

@ObjectType({ description: "A node's part of an incident." })
export class IncidentNode {
  constructor(private readonly row: IncidentPartRow) {}

  @id('`Node.id`.')
  get nodeId(): string {
    return this.row.node;
  }
  @dateTime('Its first sign; UTC.')
  get from(): Nanos {
    return toNanos(BigInt(this.row.from));
  }
  @dateTime.orNull("When the calm that ended the node's trouble began; UTC. Null while it is ongoing.")
  get to(): Nanos | null {
    return this.row.to === null ? null : toNanos(BigInt(this.row.to));
  }
  @Field(() => HealthStates, { description: "The node's worst state." })
  get severity(): TroubledState {
    return this.row.severity;
  }
  @text(
    'The health rule that decides now. If the trouble of the node is over: the rule that decided longest while its state was worst.',
  )
  get rule(): string {
    return this.row.rule;
  }
  @text('Summary for this node, in words: see `Incident.reason`.', { complexity: SENTENCE })
  get reason(): string {
    return this.row.reason;
  }
  @int("Number of the node's intervals of trouble.")
  get signs(): number {
    return this.row.signs;
  }
  @exactInt64('Position of the event that first reported its first sign.')
  get position(): bigint {
    return BigInt(this.row.position);
  }
}
