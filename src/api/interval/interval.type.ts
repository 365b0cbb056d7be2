import { ArgsType, Field, ObjectType } from '@nestjs/graphql';
import type { Decimal } from '../../domain/cost/decimal.js';
import type { FailureCause as Cause } from '../../domain/submissions/failure-cause.js';
import type { Nanos } from '../../domain/time.js';
import { bool, dateTime, exactDecimal, exactInt64, float, id, ids, text } from '../graphql/fields.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { FailureCause } from '../submissions/failure-cause.type.js';

/** Reads single rows, as a report at other prices does: two fit into a request. */
export const COST_OF_INTERVAL = 900_000;

@ArgsType()
export class IntervalArgs extends TravelArgs {
  @id.orNull('Id of the node. One of `node` and `chain` must be given.') node?: string | null;
  @text.orNull('The chain: what several of its nodes show counts once.') chain?: string | null;
  @dateTime('Inclusive, to the microsecond.') from: Nanos;
  @dateTime('Exclusive, to the microsecond; at most 31 days later.') to: Nanos;
}

@ObjectType({ description: 'Failures of one cause in an interval.' })
export class IntervalCause {
  @Field(() => FailureCause, { description: 'The cause, and what helps.' }) readonly cause: Cause;
  @exactInt64('Failed attempts.') readonly count: bigint;
  @dateTime('Time of the first.') readonly first: Nanos;
  @dateTime('Time of the last.') readonly last: Nanos;
  @exactInt64('The event that recorded the first.') readonly firstPosition: bigint;
  @exactInt64('The event that recorded the last.') readonly lastPosition: bigint;
}

@ObjectType({ description: 'What the node, or a node of the chain, said of its health in an interval.' })
export class IntervalClaim {
  @text('The status of its own /da/health, as sent.') readonly claim: string;
  @ids('The nodes that made the claim.') readonly nodes: readonly string[];
  @exactInt64('Milliseconds in which the claim contradicted what we saw, at least.')
  readonly falseMinMs: bigint;
  @exactInt64(
    'The same at most. Both differ only where the interval cuts a stretch of health, of which only the sum is known, or several nodes made the claim.',
  )
  readonly falseMaxMs: bigint;
}

@ObjectType({
  description:
    'Blocks whose time lies in an interval, as far as they are recorded, and how they were posted. A lag goes from the time of a block to the later of the first successes that carried its header and its data.',
})
export class IntervalBlocks {
  @exactInt64('Recorded blocks.') readonly produced: bigint;
  @exactInt64('Of them, those that a node has shown as included, header and data, by now, or by `asOf`.')
  readonly included: bigint;
  @exactInt64('Transactions of all of them.') readonly transactions: bigint;
  @float.orNull(
    'Milliseconds that 95 of 100 lags do not exceed: one of the lags. Null where no lag is known.',
  )
  readonly lagP95Ms: number | null;
  @float.orNull('The longest lag in milliseconds. Null where none is known.') readonly lagMaxMs:
    number | null;
  @float.orNull(
    'Milliseconds beyond which a block counts as delayed: twice the median lag of the 24 hours before the interval. Null where no lag of these is known.',
  )
  readonly delayLimitMs: number | null;
  @exactInt64.orNull(
    'Blocks whose lag, or whose age while they are not included, is more than `delayLimitMs`. Null where that is, or no lag is known of any.',
  )
  readonly delayed: bigint | null;
  @exactInt64.orNull('Transactions in these. Null where `delayed` is.')
  readonly transactionsDelayed: bigint | null;
  @exactInt64.orNull(
    'Most blocks that waited for inclusion at one moment, at least: of those produced in the interval or the 24 hours before it. Null where no lag is known of any in the interval.',
  )
  readonly mostPending: bigint | null;
}

@ObjectType({
  description:
    'How long blocks waited until a node was first seen to show them as included, header and data. They are those of an interval, and those of the 24 hours before it that still waited when it began. Of a chain the first of its nodes to show it counts. Of a block that still waits its age counts, so that lengths are lower bounds while `stillWaiting` or `unknown` is not 0. Blocks are looked at each 5 s, each 2 s while none is newly included: a wait is up to 6 s too long.',
})
export class IntervalWaits {
  @exactInt64('Blocks that waited in it, for however short a time.') readonly waited: bigint;
  @exactInt64(
    'Of them, those of which nobody saw when they were shown. They came more than a minute old and already included, or waited while nobody watched, less than ten minutes before they were found. Each counts as waiting until it was last told to be not included: where that is not known, in `p95Ms` for no time, and elsewhere here not at all.',
  )
  readonly unknown: bigint;
  @float.orNull(
    'Milliseconds beyond which a block counts as delayed: twice the median wait of the blocks of the 24 hours before the interval that were shown in these. Null where none is known.',
  )
  readonly limitMs: number | null;
  @exactInt64.orNull(
    'Blocks that waited longer than `limitMs`, at least, while some are `unknown`. Null where all are, or `limitMs` is.',
  )
  readonly delayed: bigint | null;
  @exactInt64.orNull('Transactions in these. Null where `delayed` is.') readonly transactionsDelayed:
    bigint | null;
  @float.orNull(
    'Milliseconds that 95 of 100 waits do not exceed: one of the waits. Null where none is known, or too many are `unknown`.',
  )
  readonly p95Ms: number | null;
  @float.orNull('The longest wait in milliseconds. Null where none is known.') readonly maxMs: number | null;
  @exactInt64('Blocks that no node has shown as included by now, or by `asOf`.')
  readonly stillWaiting: bigint;
  @exactInt64('Transactions in these.') readonly transactionsStillWaiting: bigint;
  @float.orNull('Milliseconds that the oldest of these has waited. Null without any.')
  readonly longestStillWaitingMs: number | null;
  @exactInt64.orNull(
    'Most blocks that waited at one moment of the interval, at least. Null where all are `unknown`.',
  )
  readonly mostWaiting: bigint | null;
}

@ObjectType({
  description:
    'What an interval of a node, or of a chain, came to. Of a chain each attempt counts once, whichever of its nodes showed it, and so does each block. Null is unknown, never zero: where nothing is recorded and nobody watched, counts and money are null.',
})
export class IntervalReport {
  @id.orNull('Id of the node; null of a chain.') readonly node: string | null;
  @text.orNull('The chain, where it was asked for.') readonly chain: string | null;
  @dateTime('As asked.') readonly from: Nanos;
  @dateTime('As asked; `asOf` where that is earlier.') readonly to: Nanos;
  @exactInt64.orNull('Rows of its list.') readonly attempts: bigint | null;
  @exactInt64.orNull('Of them, those that succeeded.') readonly successes: bigint | null;
  @exactInt64.orNull('The others.') readonly failures: bigint | null;
  @Field(() => [IntervalCause], { description: 'Failures by their cause, the most frequent first.' })
  readonly causes: IntervalCause[];
  @exactInt64.orNull('Bytes of successes, and of failures that landed, as far as they are known.')
  readonly sizeBytes: bigint | null;
  @exactInt64('Holes in the record that overlap the interval.') readonly holes: bigint;
  @exactInt64(
    'Rows that are proven to be missing: of holes that lie in the interval whole. Of a chain those of the node that lost most, as others may have lost the same.',
  )
  readonly lostMin: bigint;
  @exactInt64.orNull(
    'Rows that may be missing at most, of all holes that overlap it. Null where one has no bound, or where none is known and not all was covered up to the last polls on record.',
  )
  readonly lostMax: bigint | null;
  @exactInt64.orNull(
    'Longest time without a success, in whole milliseconds, the ends of the interval included.',
  )
  readonly longestWithoutSuccessMs: bigint | null;
  @exactDecimal.orNull('At least this was paid, by the rule of `costReport`.')
  readonly feeMin: Decimal | null;
  @exactDecimal.orNull(
    'At most this was paid; null where one fee is not known, or nothing was paid for and `failedFeeMax` is null.',
  )
  readonly feeMax: Decimal | null;
  @text('Always `utia`.') readonly feeUnit: string;
  @exactInt64('Submissions whose fee was imported.') readonly importedFees: bigint;
  @exactInt64('Submissions priced by the gas price that the node reported.') readonly recordedFees: bigint;
  @exactInt64('Submissions priced by the price book.') readonly pricedFees: bigint;
  @exactInt64('Submissions whose fee is not known.') readonly unknownFees: bigint;
  @exactInt64.orNull('Attempts that failed and did not land. Apart: never in the fees above.')
  readonly failedAttempts: bigint | null;
  @exactDecimal.orNull('What these cost at most, if they were charged; null where one has no bound.')
  readonly failedFeeMax: Decimal | null;
  @float('Part of the interval, up to now, in which nothing can have been missed: 0 to 1.')
  readonly coverage: number;
  @bool(
    'False while something that is recorded is not read, or not decided: figures are then of a part, those that more rows could make larger or end are null, and `coverage` is 0.',
  )
  readonly counted: boolean;
  @Field(() => IntervalBlocks, {
    nullable: true,
    description: 'Blocks of the interval. Null where none is recorded.',
  })
  readonly blocks: IntervalBlocks | null;
  @Field(() => IntervalWaits, {
    nullable: true,
    description:
      'How long blocks waited until they were shown as included: what finality came to. Null where no block of the interval, nor of the 24 hours before it, is recorded.',
  })
  readonly waits: IntervalWaits | null;
  @Field(() => [IntervalClaim], { description: 'What the node claimed meanwhile, each status once.' })
  readonly claims: IntervalClaim[];
}
