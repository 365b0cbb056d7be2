import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { explainLoss } from '../../domain/submissions/loss-explanation.js';
import type { Nanos } from '../../domain/time.js';
import type { LossEntity } from '../../tables/record/loss.entity.js';
import { FIRST_OPEN } from '../../projections/record/readers/known-rows.reader.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { toNanos } from '../graphql/scalars.js';
import { UpdatedFilter, UpdatedRow, type ChangedRow } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { bool, dateTime, exactInt64, id, ids, text, texts } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

export const LossKind = enumOf(['OVERFLOW', 'RESET', 'AMBIGUOUS', 'BEFORE_START']);
export type LossKind = keyof typeof LossKind;

registerEnumType(LossKind, {
  name: 'LossKind',
  description: 'How rows came to be missed.',
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

/** A row as it is read: a loss and the id of its node. */
export interface LossRow extends Omit<LossEntity, 'kind'>, ChangedRow {
  readonly id: string;
  readonly kind: LossKind;
}

@ObjectType({
  implements: () => [HasId],
  description: "Rows that were in a node's list, or may have been, and that we never saw.",
})
export class Loss extends UpdatedRow<LossRow> {
  get nodeKey(): number {
    return this.row.nodeKey;
  }
  @id('Ours; an open hole has another one once an event states it.')
  get id(): string {
    return String(this.row.lossPosition);
  }
  @Field(() => Node, { complexity: 2, description: IN_ROWS_PAST })
  readonly node?: Node;
  @id('`node.id`, for tools that want flat rows.')
  get nodeId(): string {
    return this.row.id;
  }
  @dateTime('`to`, under the name that charts look for.')
  get time(): Nanos {
    return this.to;
  }
  @Field(() => LossKind, { description: 'How they came to be missed.' })
  get kind(): LossKind {
    return this.row.kind;
  }
  @exactInt64('The last recorded row before the hole; 0 for none.')
  get afterSequence(): bigint {
    return this.row.afterSequence;
  }
  @exactInt64(
    'Rows that are missing at least. Proven by what is known; rises when blocks show more, and falls where these may have been lost in another hole.',
  )
  get minLost(): bigint {
    return this.row.minLost;
  }
  @exactInt64.orNull('Rows that are missing at most. Proven; null where nothing proves a bound.')
  get maxLost(): bigint | null {
    return this.row.maxLost;
  }
  @exactInt64.orNull(
    'An estimate of the missing rows, from the rate around the hole; null where there is none.',
  )
  get likelyLost(): bigint | null {
    return this.row.likelyLost;
  }
  @dateTime.orNull('The last look before the hole; null for `BEFORE_START`.')
  get from(): Nanos | null {
    return toNanos(this.row.fromAt);
  }
  @dateTime('The look that found it; of an open one the last look.')
  get to(): Nanos {
    return toNanos(this.row.toAt);
  }
  @bool(
    'The list is out of sight: the hole ends when it is seen again, when another list takes its place, or when the node is retired. It has another id once an event states it. In a past there are none.',
  )
  get open(): boolean {
    return this.row.lossPosition >= FIRST_OPEN;
  }
  @text('What happened, what is proven and what is a guess.', { complexity: 30 })
  get explanation(): string {
    return explainLoss({ ...this.row, node: this.nodeId, from: this.from, to: this.to, isOpen: this.open });
  }
}

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class LossFilter extends UpdatedFilter {
  @ids.orNull('Ids of nodes.') nodes?: string[] | null;
  @texts.orNull('Chains that the nodes are of.') chains?: string[] | null;
  @dateTime.orNull('Only holes that reach this time or a later one.') from?: Nanos | null;
  @dateTime.orNull('Only holes that begin before this time.') to?: Nanos | null;
  @Field(() => [LossKind], { nullable: true, description: 'How rows came to be missed.' })
  kinds?: LossKind[] | null;
}

export const LossConnection = connectionOf(Loss);
