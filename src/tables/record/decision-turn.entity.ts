import type { Micros } from '../../domain/time.js';
import { int4, int8, jsonb, Table, text, timestamptz } from '../columns.js';

/** What a turn goes over: DA heights; or rows of the node, whose kind, history or chain the event told. */
export type TurnKind = 'CELLS' | 'ROWS';

@Table(
  'decision_turn',
  'What is left to be decided of chains, in the order of the log; empty but after an event that touches very much.',
)
export class DecisionTurnEntity {
  @int8('Those of a chain are worked off in this order.', { key: true }) turnKey: bigint;
  @text('The chain.') chain: string;
  @text.orNull(
    'The chain that rows are of until then, where the event tells another. It is worked off in this order with the other.',
  )
  leaves: string | null;
  @int8('The event that left it: all is decided as of it.') position: bigint;
  @timestamptz("The time of the event, observer's clock.") at: Micros;
  @int4('The node of the event.') nodeKey: number;
  @text('CELLS: DA heights; ROWS: rows of the node, whose kind, history or chain it told.')
  what: TurnKind;
  @int8('The lowest DA height, or sequence, that is left.') nextNumber: bigint;
  @int8('DA heights, or rows, that are done.') done: bigint;
  @jsonb('What decisions go by that tables do not keep: see src/projections/record/decisions/step.ts.')
  step: unknown;
}
