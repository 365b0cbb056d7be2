import type { Micros } from '../../domain/time.js';
import { bytea, int4, int8, jsonb, Table, text, timestamptz } from '../columns.js';

/** The next release drops these columns; see the recipe for other rules in CONTRIBUTING.md. */
const OLD = 'Of release 0.1.0; nothing uses it.';

@Table(
  'decision_turn',
  'What is left to be decided of chains, in the order of the log; empty but after an event that touches very much.',
)
export class DecisionTurnEntity {
  @int8('Those of a chain are worked off in this order.', { key: true }) turnKey: bigint;
  @text('The chain.') chain: string;
  @int8('The event that left it: all is decided as of it.') position: bigint;
  @timestamptz("The time of the event, observer's clock.") at: Micros;
  @int8('The lowest DA height that is left.') nextNumber: bigint;
  @int8('DA heights that are done.') done: bigint;
  @bytea(
    "What decisions go by that tables do not keep, in Node's format: see src/projections/record/decisions/step.ts.",
    { default: "'\\x'::bytea" },
  )
  state: string;
  @int4.orNull(OLD) nodeKey: number | null;
  @text.orNull(OLD) what: string | null;
  @text.orNull(OLD) leaves: string | null;
  @jsonb.orNull(OLD) step: unknown;
}
