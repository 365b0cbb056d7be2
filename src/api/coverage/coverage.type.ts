import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { WindowDoubt } from '../../domain/coverage/window-at.js';
import type { Nanos } from '../../domain/time.js';
import { RowsOf } from '../graphql/field-cost.js';
import { bool, dateTime, field, fieldOf, id, int, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { HasId, VERSION } from '../objects/has-id.type.js';
import type { SubmissionListKey } from '../submissions/submissions.query.js';
import { Submission } from '../submissions/submission.type.js';

@ArgsType()
export class CoverageArgs {
  @text.orNull(
    'Id of the chain. It is covered while every node of it that counts is covered. A node counts from first contact until it is retired, but not while it reports that it is no aggregator. Either `chain` or `node` is needed.',
  )
  chain?: string | null;
  @id.orNull('Either `chain` or `node` is needed.') node?: string | null;
  @dateTime.orNull('Start of the range: earlier time is left out.') from?: Nanos | null;
  @dateTime.orNull('End of the range: later time is left out.') to?: Nanos | null;
  @dateTime.orNull('Only polls that were recorded by this time.') knownAt?: Nanos | null;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'A period in which no row of a list of submissions can have been missed. The time between two periods is not proven: `coverageGaps` lists the reasons, and `losses` the rows that may be missing.',
})
export class CoverageInterval {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('The first poll of the period; UTC.') readonly from: Nanos;
  @dateTime('End of the period; for the last period, the last poll so far that missed nothing.')
  readonly to: Nanos;
  @int(
    'Number of lists for which this is proven. One address can lead to several lists, and several addresses to one list.',
  )
  readonly lists: number;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'A period that is not covered, and the reason. Gaps of one node do not overlap. For a chain, several nodes can be the reason at the same time.',
})
export class CoverageGap {
  @id("Hindsight's own stable id; `object` finds the row by this id.") readonly id: string;
  @id(VERSION) readonly versionId: string;
  @dateTime('Same as `from`, under the name that charts expect.') readonly time: Nanos;
  @dateTime('The last poll that proves something, or the start of the requested range.') readonly from: Nanos;
  @dateTime('End of the gap. While it is ongoing: the present, or the end of the requested range.')
  readonly to: Nanos;
  @id.orNull('The node that is the reason; null if it is not a single node.') readonly node: string | null;
  @bool('Whether the gap is ongoing.') readonly open: boolean;
  @text('Why the period is not covered, in words.') readonly reason: string;
}

const Doubts = enumOf<WindowDoubt>('WindowDoubt', 'Why the content of a list is not proven.', {
  NOT_SEEN: 'The list had not been seen yet.',
  AWAY: 'The list could not be read at that moment; the rows are those of the last poll that saw it.',
  INCOMPLETE: 'The list had more rows than are recorded.',
  HOLE: 'Rows may be missing among those that are recorded.',
  BETWEEN_LOOKS:
    'The list had moved on by the next poll, or there was no poll since; the rows are those of the last poll.',
});

const doubt = fieldOf(() => Doubts);

/** Rows of a list: the specification's limit, which nodes have. */
const RING_SIZE = 100;

@ObjectType({ description: 'The list of submissions that its node showed at a moment.' })
export class Window {
  readonly places: readonly SubmissionListKey[];
  @dateTime("The moment, by the observer's clock.") readonly at: Nanos;
  @bool('Whether it is proven that the node showed exactly these rows in this order.')
  readonly proven: boolean;
  @doubt.orNull('Why the list is not proven; null if it is.') readonly doubt: WindowDoubt | null;
  @dateTime.orNull('The last recorded poll of the list up to that moment; null before the first poll.')
  readonly lookedAt: Nanos | null;
  @bool('Whether the node sends its newest row first.') readonly newestFirst: boolean;
  @RowsOf(RING_SIZE)
  @field(
    () => [Submission],
    'Rows in the order in which the node sends them, at most as many as its list had. Facts about each row, such as its evidence, are as known today.',
  )
  readonly submissions?: readonly Submission[];
}
