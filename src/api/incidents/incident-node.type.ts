import { Field, ObjectType } from '@nestjs/graphql';
import type { TroubledState } from '../../domain/health/trouble.js';
import type { Nanos } from '../../domain/time.js';
import { dateTime, exactInt64, id, int, text } from '../graphql/fields.js';
import { toNanos } from '../graphql/scalars.js';
import { HealthStates } from '../health/health.type.js';
import type { IncidentPartRow } from './incident-rows.js';

/** Cost of a text of one or two lines. */
const SENTENCE = 15;

@ObjectType({ description: 'The part of a node in an incident.' })
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
  @dateTime.orNull('When the calm began that ended it there; UTC. Null while it goes on.')
  get to(): Nanos | null {
    return this.row.to === null ? null : toNanos(BigInt(this.row.to));
  }
  @Field(() => HealthStates, { description: 'The worst state of it.' })
  get severity(): TroubledState {
    return this.row.severity;
  }
  @text(
    'The rule of health that decides now; where it is over there, the one that decided longest while it was worst.',
  )
  get rule(): string {
    return this.row.rule;
  }
  @text('What is the matter with it, for a person: see `Incident.reason`.', { complexity: SENTENCE })
  get reason(): string {
    return this.row.reason;
  }
  @int('Intervals of trouble of it.')
  get signs(): number {
    return this.row.signs;
  }
  @exactInt64('The event that first told of its first sign.')
  get position(): bigint {
    return BigInt(this.row.position);
  }
}
