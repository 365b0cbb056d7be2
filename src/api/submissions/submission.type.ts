import { Float, ObjectType } from '@nestjs/graphql';
import type { CarriedBy } from '../../projections/record/readers/carried-blocks.reader.js';
import { connectionOf } from '../graphql/connection.js';
import { Claim } from '../claims/claim.type.js';
import { RowsOf } from '../graphql/field-cost.js';
import { rowOf } from '../graphql/flat-fields.js';
import { HealthInterval } from '../health/health.type.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { FailureCause } from './failure-cause.type.js';
import { SubmissionCost } from './submission-cost.type.js';
import { SUBMISSION_FIELDS } from './submission-fields.js';
import { field, fieldOf, int64s, json, text, texts } from '../graphql/fields.js';
import { HasId } from '../objects/has-id.type.js';

/** Cost of a value that is only in the log. */
const IN_THE_LOG = 15;
/** Cost of a long value from the log; all such values of an answer together are limited separately. */
const LONG_IN_THE_LOG = 150;
/** Cost of another row, which one lookup reads for all rows together. */
const LOOKED_UP = 15;
/** Assumed attempts of a batch before or after this one; most batches have one attempt. */
const ASSUMED_ATTEMPTS = 3;

const node = fieldOf(() => Node);

/** The flat fields are in {@link SUBMISSION_FIELDS}; the fields here are looked up. */
@ObjectType({ implements: () => [HasId], description: 'One attempt to post a batch to the DA layer.' })
export class Submission extends rowOf(SUBMISSION_FIELDS) implements CarriedBy {
  @node.orNull(`Null for \`RECONSTRUCTED\` and \`UNDECIDED\`: those belong to the chain. ${IN_ROWS_PAST}`, {
    complexity: 2,
  })
  readonly node?: Node | null;
  @text.orNull('The status as the node sent it.', { complexity: IN_THE_LOG })
  readonly statusText?: string | null;
  @texts(
    'Ids of the blobs, hex. Empty if the node named no blob, or if the log has only a part of the row.',
    { complexity: LONG_IN_THE_LOG },
  )
  readonly blobIds?: string[];
  @text.orNull('Its time as the node sent it, all digits; null if the node sent no time.', {
    complexity: IN_THE_LOG,
  })
  readonly occurredAtText?: string | null;
  @int64s('Heights of the blocks it carried, if all of them are known.', { complexity: IN_THE_LOG })
  readonly blocks?: bigint[];
  @field(() => [Float], '`blocks` as doubles.', { complexity: IN_THE_LOG }) readonly blocksFloat?: number[];
  @field.orNull(
    () => SubmissionCost,
    'Its cost; null for an attempt that failed and did not land. For a row of a node: the cost that the figures of that node count.',
    { complexity: LOOKED_UP },
  )
  readonly cost?: SubmissionCost | null;
  @field.orNull(() => FailureCause, 'Why it failed; null for a success.')
  readonly cause?: FailureCause | null;
  @RowsOf(ASSUMED_ATTEMPTS)
  @field(
    () => [Submission],
    'Earlier failed attempts to post the same batch, oldest first: attempts of its node and namespace since the last success. At most 30, and only attempts after the last gap in the record.',
  )
  readonly attemptsBefore?: readonly Submission[];
  @RowsOf(ASSUMED_ATTEMPTS)
  @field(
    () => [Submission],
    'Later attempts to post the same batch, up to the successful attempt; empty for a success. At most 30, and only attempts before the next gap in the record.',
  )
  readonly attemptsAfter?: readonly Submission[];
  @field.orNull(
    () => Submission,
    'The row that entered the list of its node before it; null if there is none, and for `RECONSTRUCTED` and `UNDECIDED`.',
    { complexity: LOOKED_UP },
  )
  readonly previous?: Submission | null;
  @field.orNull(() => Submission, 'The row that entered the list of its node after it.', {
    complexity: LOOKED_UP,
  })
  readonly next?: Submission | null;
  @field.orNull(
    () => HealthInterval,
    'Our conclusion about the data availability of its node at its `time`; with `knownAt`, as recorded by then.',
    { complexity: LOOKED_UP },
  )
  readonly healthThen?: HealthInterval | null;
  @field.orNull(
    () => Claim,
    "The node's own last claim about its health at that time; with `knownAt`, as far as it was recorded by then.",
    { complexity: LOOKED_UP },
  )
  readonly claimThen?: Claim | null;
  @json.orNull(
    'The row as the node sent it; null for `RECONSTRUCTED` and `UNDECIDED`. A row is cut if its node had used up its ' +
      'daily share of the log; this is then the part that is kept. Its member `hindsight_cut` has the length (`bytes`) and the `sha256` of the whole row in ' +
      'canonical JSON (no blanks, members sorted).',
    { complexity: LONG_IN_THE_LOG },
  )
  readonly raw?: unknown;
  @text.orNull('`raw` as text, with every character, for clients that would round its numbers.', {
    complexity: LONG_IN_THE_LOG,
  })
  readonly rawText?: string | null;
}

export const SubmissionConnection = connectionOf(Submission);
