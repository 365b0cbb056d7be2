import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { WindowDoubt } from '../../domain/submissions/shown-window.js';
import type { Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, fieldOf } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { ListPlace } from '../submissions/submissions.query.js';
import { Submission } from '../submissions/submission.type.js';

const Doubts = enumOf<WindowDoubt>(['NOT_SEEN', 'AWAY', 'INCOMPLETE', 'HOLE', 'BETWEEN_LOOKS']);

registerEnumType(Doubts, {
  name: 'WindowDoubt',
  description: 'Why it is not proven what a list was.',
  valuesMap: {
    NOT_SEEN: { description: 'Nobody had seen the list yet.' },
    AWAY: {
      description: 'It could not be read at that moment; the rows are those of the last look that saw it.',
    },
    INCOMPLETE: { description: 'It held more rows than are recorded.' },
    HOLE: { description: 'Rows may be missing among those that are recorded.' },
    BETWEEN_LOOKS: {
      description:
        'By the next look it had moved on, or there was none since; the rows are those of the last look.',
    },
  },
});

const doubt = fieldOf(() => Doubts);

/** Rows of a list: the specification's limit, which nodes have. */
const RING_SIZE = 100;

@ObjectType({ description: 'The list of submissions as its node was showing it at a moment.' })
export class Window {
  readonly places: readonly ListPlace[];
  @dateTime('The moment, by the clock of whoever looked.') readonly at: Nanos;
  @bool('Whether it is proven that the node showed exactly these rows in this order.')
  readonly proven: boolean;
  @doubt.orNull('Why it is not; null where it is.') readonly doubt: WindowDoubt | null;
  @dateTime.orNull('The last recorded look of the list up to that moment; null before the first.')
  readonly lookedAt: Nanos | null;
  @bool('Whether the node sends its newest row first.') readonly newestFirst: boolean;
  @RowsOf(RING_SIZE)
  @Field(() => [Submission], {
    description:
      'In the order in which the node sends them, at most as many as its list held. What is said of each, such as its evidence, is what is known today.',
  })
  readonly submissions?: readonly Submission[];
}
