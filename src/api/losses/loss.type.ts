import { InputType, ObjectType } from '@nestjs/graphql';
import { explainLoss, type LossKind } from '../../domain/submissions/loss-explanation.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { dateTime, field, ids, text, texts } from '../graphql/fields.js';
import { rowOf } from '../graphql/flat-fields.js';
import { UpdatedFilter } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { HasId } from '../objects/has-id.type.js';
import { LOSS_FIELDS, LossKinds } from './loss-fields.js';

/** The flat fields are in {@link LOSS_FIELDS}. */
@ObjectType({
  implements: () => [HasId],
  description: "A gap: rows that were, or may have been, in a node's list and that we never saw.",
})
export class Loss extends rowOf(LOSS_FIELDS) {
  @field(() => Node, IN_ROWS_PAST, { complexity: 2 }) readonly node?: Node;
  @text('Explains what happened, what is proven and what is a guess.', { complexity: 30 })
  get explanation(): string {
    const { kind, afterSequence, minLost, maxLost, likelyLost, from, to, open } = this;
    const facts = { kind, afterSequence, minLost, maxLost, likelyLost, from, to };
    return explainLoss({ ...facts, node: this.nodeId, isOpen: open });
  }
}

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class LossFilter extends UpdatedFilter {
  @ids.orNull('Ids of nodes.') nodes?: string[] | null;
  @texts.orNull('Chains of the nodes.') chains?: string[] | null;
  @dateTime.orNull('Only gaps that reach this time or a later one.') from?: Nanos | null;
  @dateTime.orNull('Only gaps that begin before this time.') to?: Nanos | null;
  @field.orNull(() => [LossKinds], 'How rows came to be missed.') kinds?: LossKind[] | null;
}

export const LossConnection = connectionOf(Loss);
