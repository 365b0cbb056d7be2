import { Field, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { DateTime, Int64 } from '../graphql/scalars.js';
import { Node } from '../nodes/node.type.js';

export const LossKind = enumOf(['OVERFLOW', 'RESET', 'AMBIGUOUS', 'BEFORE_START']);
export type LossKind = keyof typeof LossKind;

registerEnumType(LossKind, {
  name: 'LossKind',
  valuesMap: {
    OVERFLOW: { description: 'A full list shared nothing with what was known: rows fell out of it unseen.' },
    RESET: { description: 'The list was emptied, by a restart or a change of leader.' },
    AMBIGUOUS: { description: 'Rows overlap, but none of them proves by how many.' },
    BEFORE_START: { description: 'What came before we first looked.' },
  },
});

@ObjectType({ description: "Rows that were in a node's list, or may have been, and that we never saw." })
export class Loss {
  readonly nodeKey: number;

  @Field(() => ID)
  readonly id: string;

  @Field(() => Node, { complexity: 2 })
  readonly node?: Node;

  @Field(() => LossKind)
  readonly kind: LossKind;

  @Field(() => Int64, { description: 'The last recorded row before the hole; 0 for none.' })
  readonly afterSequence: bigint;

  @Field(() => Int64, { description: 'Proven; may rise when blocks show more.' })
  readonly minLost: bigint;

  @Field(() => Int64, { nullable: true, description: 'Proven; null where nothing proves a bound.' })
  readonly maxLost: bigint | null;

  @Field(() => Int64, { nullable: true, description: 'An estimate from the rate around the hole.' })
  readonly likelyLost: bigint | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The last look before the hole; null for `BEFORE_START`.',
  })
  readonly from: Nanos | null;

  @Field(() => DateTime, { description: 'The look that found it.' })
  readonly to: Nanos;

  @Field(() => String, { complexity: 30, description: 'What happened, what is proven and what is a guess.' })
  readonly explanation: string;
}

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class LossFilter {
  @Field(() => [ID], { nullable: true })
  nodes?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Chains that the nodes are of.' })
  chains?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: 'Only holes that reach this time or a later one.' })
  from?: Nanos | null;

  @Field(() => DateTime, { nullable: true, description: 'Only holes that begin before this time.' })
  to?: Nanos | null;

  @Field(() => [LossKind], { nullable: true })
  kinds?: LossKind[] | null;
}

export const LossConnection = connectionOf(Loss);
