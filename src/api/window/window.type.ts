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
  description: 'Why the content of a list is not proven.',
  valuesMap: {
    NOT_SEEN: { description: 'The list had not been seen yet.' },
    AWAY: {
      description:
        'The list could not be read at that moment; the rows are those of the last poll that saw it.',
    },
    INCOMPLETE: { description: 'The list had more rows than are recorded.' },
    HOLE: { description: 'Rows may be missing among those that are recorded.' },
    BETWEEN_LOOKS: {
      description:
        'The list had moved on by the next poll, or there was no poll since; the rows are those of the last poll.',
    },
  },
});

const doubt = fieldOf(() => Doubts);

/** Rows of a list: the specification's limit, which nodes have. */
const RING_SIZE = 100;

@ObjectType({ description: 'The list of submissions that its node showed at a moment.' })
export class Window {
  readonly places: readonly ListPlace[];
  @dateTime("The moment, by the observer's clock.") readonly at: Nanos;
  @bool('Whether it is proven that the node showed exactly these rows in this order.')
  readonly proven: boolean;
  @doubt.orNull('Why the list is not proven; null if it is.') readonly doubt: WindowDoubt | null;
  @dateTime.orNull('The last recorded poll of the list up to that moment; null before the first poll.')
  readonly lookedAt: Nanos | null;
  @bool('Whether the node sends its newest row first.') readonly newestFirst: boolean;
  @RowsOf(RING_SIZE)
  @Field(() => [Submission], {
    description:
      'Rows in the order in which the node sends them, at most as many as its list had. Facts about each row, such as its evidence, are as known today.',
  })
  readonly submissions?: readonly Submission[];
}
