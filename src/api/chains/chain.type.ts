import { ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { dateTime, exactInt64, field, id, int, text, texts } from '../graphql/fields.js';
import { Node } from '../nodes/node.type.js';
import { Budget } from './budget.type.js';
import { HasId } from '../objects/has-id.type.js';

/** Assumed number of nodes per chain: more than most installations have. */
const ASSUMED_NODES = 20;

@ObjectType({ implements: () => [HasId], description: 'A rollup, as all of its nodes together show it.' })
export class Chain {
  @id('Its `chain_id`.') readonly id: string;
  /** Keys of all its nodes, and of its aggregators; not in the schema. */
  readonly nodeKeys: readonly number[];
  readonly aggregatorKeys: readonly number[];
  @RowsOf(ASSUMED_NODES)
  @field(
    () => [Node],
    'The nodes that name this chain or have shown blocks of it, sorted by id, including nodes that are no longer monitored.',
  )
  readonly nodes?: readonly Node[];
  @RowsOf(ASSUMED_NODES)
  @field(() => [Node], 'Its nodes that submit to the DA layer.')
  readonly aggregators?: readonly Node[];
  @texts('Its forks as `chain/n`, oldest first. A proven difference opens the next fork.')
  readonly lineages: readonly string[];
  @text('IANA name of the time zone in which its days are counted.') readonly reportingTimeZone: string;
  @exactInt64.orNull('The newest height that any of its nodes has shown.') readonly head: bigint | null;
  @exactInt64.orNull(
    'The height up to which every recorded block is included, header and data, according to the node that is furthest ahead.',
  )
  readonly inclusionFrontier: bigint | null;
  @exactInt64.orNull(
    '`head` minus `inclusionFrontier`, at least 0; null if either is unknown, or if no node of the chain is known to show inclusion.',
  )
  readonly pending: bigint | null;
  @dateTime.orNull(
    'The time of an event that affects so much of the chain that it is decided in several steps. Until all steps are done, it may still change evidence, kinds and losses, and no answer contains anything later. Null if everything read from the log is decided.',
  )
  readonly undecidedSince: Nanos | null;
  @field(() => [Budget], 'Its cost limits, from the alert rules of this service; empty if no rule sets one.')
  readonly budgets?: readonly Budget[];
  @int('Number of remaining steps, including the current step; 0 if there are no more.')
  readonly undecidedSteps: number;
}
