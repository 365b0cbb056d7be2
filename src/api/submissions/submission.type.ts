import { Field, Float, ObjectType, registerEnumType } from '@nestjs/graphql';
import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
  type SubmissionEvidence,
  type SubmissionKind,
} from '../../domain/submissions/submission-codes.js';
import type { SubmissionStatus } from '../../domain/submissions/submission-row.js';
import { microsToNanos, type Micros, type Nanos } from '../../domain/time.js';
import type { CarriedBy } from '../../projections/record/readers/carried-heights.reader.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { Claim } from '../claims/claim.type.js';
import { UpdatedRow } from '../graphql/updated-rows.js';
import { RowsOf } from '../graphql/field-cost.js';
import { HealthInterval } from '../health/health.type.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { FailureCause } from './failure-cause.type.js';
import { SubmissionCost } from './submission-cost.type.js';
import { formatSubmissionId } from './submission-id.js';
import type { SubmissionRow } from './submission-row.js';
import {
  bool,
  dateTime,
  exactDecimal,
  exactInt64,
  fieldOf,
  id,
  int,
  int64s,
  json,
  text,
  texts,
} from '../graphql/fields.js';
import { toNanos } from '../graphql/scalars.js';
import { HasId } from '../objects/has-id.type.js';

/** Cost of a value that stands only in the log. */
const IN_THE_LOG = 15;
/** The same of one that can be long; what all such values of an answer may have together is bounded besides. */
const LONG_IN_THE_LOG = 150;
/** Of another row that is looked up, for all rows together. */
const LOOKED_UP = 15;
/** Attempts before or after one of a batch that are taken to come; most batches have one. */
const ASSUMED_ATTEMPTS = 3;
/** Of a text of up to 4,000 characters; most have less than half. */
const LONG = 150;

export const SubmissionStatuses = enumOf(SUBMISSION_STATUSES);
export const SubmissionKinds = enumOf(SUBMISSION_KINDS);
export const SubmissionEvidences = enumOf(SUBMISSION_EVIDENCES);

registerEnumType(SubmissionStatuses, {
  name: 'SubmissionStatus',
  description: 'How an attempt ended, as the node says.',
  valuesMap: {
    SUCCESS: { description: 'It was posted.' },
    NOT_FOUND: { description: 'The DA layer does not have what was asked for.' },
    NOT_INCLUDED_IN_BLOCK: { description: 'It was sent, and no block of the DA layer had it in time.' },
    ALREADY_IN_MEMPOOL: { description: 'The same transaction waited in the mempool already.' },
    TOO_BIG: { description: 'The batch, or a blob of it, is larger than the DA layer takes.' },
    CONTEXT_DEADLINE: { description: 'The DA node gave no answer in time.' },
    ERROR: { description: 'The DA layer refused: see `message` and `cause`.' },
    INCORRECT_ACCOUNT_SEQUENCE: {
      description: 'The sequence number of the DA account was not the one that the DA layer expected.',
    },
    CONTEXT_CANCELED: { description: 'The node gave it up, as it does when it stops.' },
    HEIGHT_FROM_FUTURE: { description: 'The DA node was asked for a height that it had not reached.' },
    OTHER: { description: "The node said something that we don't know, or nothing: see `statusText`." },
  },
});

registerEnumType(SubmissionKinds, {
  name: 'SubmissionKind',
  description: 'What a batch holds, by the namespace it was posted to.',
  valuesMap: {
    HEADER: { description: 'Headers of blocks.' },
    DATA: { description: 'Transactions of blocks.' },
    MIXED: { description: 'Headers and data share a namespace, so the row does not tell.' },
    UNKNOWN: { description: 'The node has not told its namespaces, or the row names another one or none.' },
  },
});

registerEnumType(SubmissionEvidences, {
  name: 'SubmissionEvidence',
  description: 'What the blocks of the chain say about an attempt.',
  valuesMap: {
    OBSERVED: { description: 'A failure, or a success that cannot be decided.' },
    CONFIRMED: { description: 'It succeeded, and the blocks agree.' },
    UNCONFIRMED: { description: 'A success that no block shows yet.' },
    UNREFERENCED: {
      description: 'A success that the frontier has passed and no block points to: paid for nothing.',
    },
    RECONSTRUCTED: { description: 'Blocks prove it, no list showed it. It has no node.' },
    UNDECIDED: {
      description:
        'Blocks prove its blobs, and `possibleAttempts` failed attempts may have posted them, none for certain. It has no node.',
    },
  },
});

const node = fieldOf(() => Node);

@ObjectType({ implements: () => [HasId], description: 'One attempt to post a batch to the DA layer.' })
export class Submission extends UpdatedRow<SubmissionRow> implements CarriedBy {
  get nodeKey(): number | null {
    return this.row.nodeKey;
  }
  get lineageKey(): number | null {
    return this.row.lineageKey;
  }
  get fromPosition(): bigint {
    return this.row.fromPosition;
  }
  get timeAt(): Micros {
    return this.row.timeAt;
  }
  get namespaceKey(): number | null {
    return this.row.namespaceKey;
  }
  get blockFrom(): bigint | null {
    return this.row.blockFrom;
  }
  get blockTo(): bigint | null {
    return this.row.blockTo;
  }
  @id('Ours, stable, never used again.')
  get id(): string {
    const { node, chainId, n, sequence, daHeight } = this.row;
    return formatSubmissionId(
      node !== null && sequence !== null
        ? { node, sequence }
        : { chain: chainId ?? '', n: n ?? 0, kind: this.kind, daHeight: daHeight ?? 0n },
    );
  }
  @text.orNull('Null until the node has said its chain; with `knownAt` the one that was known then.')
  get chain(): string | null {
    return this.row.chainId;
  }
  @node.orNull(`Null for \`RECONSTRUCTED\` and \`UNDECIDED\`: those belong to the chain. ${IN_ROWS_PAST}`, {
    complexity: 2,
  })
  readonly node?: Node | null;
  @id.orNull('`node.id`, for tools that want flat rows.')
  get nodeId(): string | null {
    return this.row.node;
  }
  @dateTime('The time it counts under: `occurredAt`, or `observedAt` where that is null or wild.')
  get time(): Nanos {
    return microsToNanos(this.row.timeAt);
  }
  @exactInt64.orNull(
    '1, 2, 3 … per node, in the order of entering its list; null for `RECONSTRUCTED` and `UNDECIDED`.',
  )
  get sequence(): bigint | null {
    return this.row.sequence;
  }
  @int.orNull('How often, at least, the list had been emptied before.')
  get ring(): number | null {
    return this.row.ring;
  }
  @Field(() => SubmissionStatuses, { description: 'How it ended.' })
  get status(): SubmissionStatus {
    return SUBMISSION_STATUSES[this.row.status] ?? 'OTHER';
  }
  @text.orNull('The status as the node sent it.', { complexity: IN_THE_LOG })
  readonly statusText?: string | null;
  @text.orNull(
    'What the node says of a failure; null where it says nothing. Of a long one the first 4,000 characters (200 where the log has no more), ending in `… (cut)`.',
    { complexity: LONG },
  )
  get message(): string | null {
    return this.row.message;
  }
  @text.orNull(
    'The namespace it was posted to: 58 hex digits, lower case, no 0x. Null where the node names none.',
  )
  get namespace(): string | null {
    return this.row.namespace;
  }
  @Field(() => SubmissionKinds, { description: 'What its batch holds.' })
  get kind(): SubmissionKind {
    return SUBMISSION_KINDS[this.row.kind] ?? 'UNKNOWN';
  }
  @exactInt64.orNull('Height of the DA layer that it was posted at; null where there is none.')
  get daHeight(): bigint | null {
    return this.row.daHeight;
  }
  @int.orNull('Blobs of its batch; null where the node does not say.')
  get blobCount(): number | null {
    return this.row.blobCount;
  }
  @texts(
    'Ids of the blobs, hex. Empty where the node named none, or where the log has only a part of the row.',
    { complexity: LONG_IN_THE_LOG },
  )
  readonly blobIds?: string[];
  @exactInt64.orNull('Bytes of all blobs; null where the node does not know.')
  get sizeBytes(): bigint | null {
    return this.row.sizeBytes;
  }
  @exactDecimal.orNull('Gas price that the node reports, utia for each unit of gas; null where it does not.')
  get gasPrice(): string | null {
    return this.row.gasPrice;
  }
  @dateTime.orNull(
    "By the node's clock; null for the zero time; of `RECONSTRUCTED` and `UNDECIDED` the newest block's time.",
  )
  get occurredAt(): Nanos | null {
    return toNanos(this.row.occurredAt);
  }
  @text.orNull('Its time as the node sent it, all digits; null where it sent none.', {
    complexity: IN_THE_LOG,
  })
  readonly occurredAtText?: string | null;
  @dateTime('The look that showed it, by our clock; UTC.')
  get observedAt(): Nanos {
    return microsToNanos(this.row.observedAt);
  }
  @Field(() => SubmissionEvidences, { description: 'What the blocks of the chain say about it.' })
  get evidence(): SubmissionEvidence {
    return SUBMISSION_EVIDENCES[this.row.evidence] ?? 'OBSERVED';
  }
  @int.orNull('Of `UNDECIDED`: how many failed attempts may have posted these blobs; else null.')
  get possibleAttempts(): number | null {
    return this.row.possible;
  }
  @bool(
    'Whether its chain counts it. False: another node had shown the same attempt before, as a row that is equal in every field.',
  )
  get countsForChain(): boolean {
    return this.row.countsForChain;
  }
  @int64s(
    'Heights of the blocks it carried, where known. With `knownAt` those that it was known to have carried all of.',
    { complexity: IN_THE_LOG },
  )
  readonly blocks?: bigint[];
  @Field(() => [Float], { description: '`blocks` as doubles.', complexity: IN_THE_LOG })
  readonly blocksFloat?: number[];
  @Field(() => SubmissionCost, {
    nullable: true,
    description:
      'What it cost; null of an attempt that failed and did not land. Of a row of a node what the figures of that node count.',
    complexity: LOOKED_UP,
  })
  readonly cost?: SubmissionCost | null;
  @Field(() => FailureCause, { nullable: true, description: 'Why it failed; null for a success.' })
  readonly cause?: FailureCause | null;
  @RowsOf(ASSUMED_ATTEMPTS)
  @Field(() => [Submission], {
    description:
      'Failed attempts to post the same batch before it, the first one first: those of its node and namespace since the last success. At most 30, and none from before a hole in the record.',
  })
  readonly attemptsBefore?: readonly Submission[];
  @RowsOf(ASSUMED_ATTEMPTS)
  @Field(() => [Submission], {
    description:
      'The attempts to post the same batch after it, up to the one that succeeded; empty for a success. At most 30, and none from behind a hole in the record.',
  })
  readonly attemptsAfter?: readonly Submission[];
  @Field(() => Submission, {
    nullable: true,
    description:
      'The row that entered the list of its node before it; null for none, and for `RECONSTRUCTED` and `UNDECIDED`.',
    complexity: LOOKED_UP,
  })
  readonly previous?: Submission | null;
  @Field(() => Submission, {
    nullable: true,
    description: 'The row that entered the list of its node after it.',
    complexity: LOOKED_UP,
  })
  readonly next?: Submission | null;
  @Field(() => HealthInterval, {
    nullable: true,
    description:
      'What we say of the data availability of its node at its `time`; with `knownAt` what was recorded of it by then.',
    complexity: LOOKED_UP,
  })
  readonly healthThen?: HealthInterval | null;
  @Field(() => Claim, {
    nullable: true,
    description:
      "The node's own last word on its health at that time; with `knownAt` as far as it was recorded by then.",
    complexity: LOOKED_UP,
  })
  readonly claimThen?: Claim | null;
  @json.orNull(
    'The row as the node sent it; null for `RECONSTRUCTED` and `UNDECIDED`. Of a row that was cut, as its node had written its share of ' +
      'the day, what is kept: its member `hindsight_cut` has the length (`bytes`) and the `sha256` of the whole in ' +
      'canonical JSON (no blanks, members sorted).',
    { complexity: LONG_IN_THE_LOG },
  )
  readonly raw?: unknown;
}

export const SubmissionConnection = connectionOf(Submission);
