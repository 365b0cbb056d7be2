import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { Past } from '../graphql/time-travel.js';
import { UpdatedFilter, UpdatedRow } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { dateTime, exactInt64, id, ids, text, texts } from '../graphql/fields.js';

export const LossKind = enumOf(['OVERFLOW', 'RESET', 'AMBIGUOUS', 'BEFORE_START']);
export type LossKind = keyof typeof LossKind;

registerEnumType(LossKind, {
  name: 'LossKind',
  valuesMap: {
    OVERFLOW: { description: 'A full list shared nothing with what was known: rows fell out of it unseen.' },
    RESET: {
      description:
        'The list was emptied, by a restart or a change of leader; or it was empty, and that may have happened unseen.',
    },
    AMBIGUOUS: { description: 'Rows overlap, but none of them proves by how many.' },
    BEFORE_START: { description: 'What came before we first looked.' },
  },
});

@ObjectType({ description: "Rows that were in a node's list, or may have been, and that we never saw." })
export class Loss extends UpdatedRow {
  readonly nodeKey: number;
  /** In which it was asked for. */
  readonly past: Past;
  @id() readonly id: string;
  @Field(() => Node, { complexity: 2, description: IN_ROWS_PAST })
  readonly node?: Node;
  @id('`node.id`, for tools that want flat rows.') readonly nodeId: string;
  @dateTime('`to`, under the name that charts look for.') readonly time: Nanos;
  @Field(() => LossKind) readonly kind: LossKind;
  @exactInt64('The last recorded row before the hole; 0 for none.') readonly afterSequence: bigint;
  @exactInt64(
    'Proven by what is known; rises when blocks show more, and falls where these may have been lost in another hole.',
  )
  readonly minLost: bigint;
  @exactInt64.orNull('Proven; null where nothing proves a bound.') readonly maxLost: bigint | null;
  @exactInt64.orNull('An estimate from the rate around the hole.') readonly likelyLost: bigint | null;
  @dateTime.orNull('The last look before the hole; null for `BEFORE_START`.') readonly from: Nanos | null;
  @dateTime('The look that found it.') readonly to: Nanos;
  @text('What happened, what is proven and what is a guess.', { complexity: 30 })
  readonly explanation: string;
}

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class LossFilter extends UpdatedFilter {
  @ids.orNull() nodes?: string[] | null;
  @texts.orNull('Chains that the nodes are of.') chains?: string[] | null;
  @dateTime.orNull('Only holes that reach this time or a later one.') from?: Nanos | null;
  @dateTime.orNull('Only holes that begin before this time.') to?: Nanos | null;
  @Field(() => [LossKind], { nullable: true }) kinds?: LossKind[] | null;
}

export const LossConnection = connectionOf(Loss);
