import type { Micros } from '../../domain/time.js';
import { bytea, int8, Table, text, timestamptz } from '../columns.js';

@Table(
  'decision_turn',
  'What is left to be decided of chains, in the order of the log; empty but after an event that touches very much.',
)
export class DecisionTurnEntity {
  @int8('Those of a chain are worked off in this order.', { key: true }) turnKey: bigint;
  @text('The chain.') chain: string;
  @int8('The event that left it: all is decided as of it.') position: bigint;
  @timestamptz("The time of the event, observer's clock.") at: Micros;
  @int8('The lowest DA height that is left.') nextDaHeight: bigint;
  @int8('DA heights that are done.') done: bigint;
  @bytea(
    "What decisions go by that tables do not keep, in Node's format: see src/projections/record/decisions/step.ts.",
  )
  step: string;
}
