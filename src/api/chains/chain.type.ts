import { Field, ObjectType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { Int64Field } from '../graphql/exact-field.js';
import { RowsOf } from '../graphql/field-cost.js';
import { dateTime, id, int, text, texts } from '../graphql/fields.js';
import { Node } from '../nodes/node.type.js';
import { Budget } from './budget.type.js';
import { HasId } from '../objects/has-id.type.js';

/** Assumed number of nodes per chain: more than most installations have. */
const ASSUMED_NODES = 20;

@ObjectType({ implements: () => [HasId], description: 'A rollup: what its nodes show of it together.' })
export class Chain {
  @id('Its `chain_id`.') readonly id: string;
  /** Keys of all its nodes, and of its aggregators; not in the schema. */
  readonly nodeKeys: readonly number[];
  readonly aggregatorKeys: readonly number[];
  @RowsOf(ASSUMED_NODES)
  @Field(() => [Node], {
    description: 'The nodes that name it or have shown blocks of it, by id; no longer watched ones too.',
  })
  readonly nodes?: readonly Node[];
  @RowsOf(ASSUMED_NODES)
  @Field(() => [Node], { description: 'The nodes of it that submit to the DA layer.' })
  readonly aggregators?: readonly Node[];
  @texts('Its histories as `chain/n`, the first one first. A proven difference opens the next one.')
  readonly lineages: readonly string[];
  @text('IANA name of the zone in which its days are counted.') readonly reportingTimeZone: string;
  @Int64Field({ nullable: true, description: 'The newest height that any of its nodes has shown.' })
  readonly head: bigint | null;
  @Int64Field({
    nullable: true,
    description:
      'The height up to which every recorded block is included, header and data, by the node that shows most of it.',
  })
  readonly inclusionFrontier: bigint | null;
  @Int64Field({
    nullable: true,
    description:
      '`head` minus `inclusionFrontier`, 0 at least; null where either is unknown, and where no node of it is known to show inclusion.',
  })
  readonly pending: bigint | null;
  @dateTime.orNull(
    'The time of an event that touches so much of the chain that it is decided in turns. Until that is done evidence, kinds and losses may change by it, and nothing later is in any answer. Null: all that is read of the log is decided.',
  )
  readonly undecidedSince: Nanos | null;
  @Field(() => [Budget], {
    description: 'What it may cost, as the rules of alerts of this service say; empty where none does.',
  })
  readonly budgets?: readonly Budget[];
  @int('Steps that are left of it, with the one under way; 0: none.') readonly undecidedSteps: number;
}
