import { ArgsType, ObjectType } from '@nestjs/graphql';
import type { Decimal } from '../../domain/cost/decimal.js';
import type { FailureDiagnosis } from '../../domain/submissions/failure-cause.js';
import type { Nanos } from '../../domain/time.js';
import { bool, dateTime, exactDecimal, exactInt64, field, float, id, ids, text } from '../graphql/fields.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { FailureCause } from '../submissions/failure-cause.type.js';

/** Reads single rows, as a report at other prices does: two fit into a request. */
export const COST_OF_INTERVAL = 900_000;

@ArgsType()
export class IntervalArgs extends TravelArgs {
  @id.orNull('Id of the node. Either `node` or `chain` must be given.') node?: string | null;
  @text.orNull('Id of the chain. A submission or block that several of its nodes show counts once.') chain?:
    string | null;
  @dateTime('Inclusive, to the microsecond.') from: Nanos;
  @dateTime('Exclusive, to the microsecond; at most 31 days later.') to: Nanos;
}

@ObjectType({ description: 'Failures of one cause in an interval.' })
export class IntervalCause {
  @field(() => FailureCause, 'The cause, and what to do.') readonly cause: FailureDiagnosis;
  @exactInt64('Failed attempts.') readonly count: bigint;
  @dateTime('Time of the first failure.') readonly first: Nanos;
  @dateTime('Time of the last failure.') readonly last: Nanos;
  @exactInt64('Position of the event that recorded the first failure.') readonly firstPosition: bigint;
  @exactInt64('Position of the event that recorded the last failure.') readonly lastPosition: bigint;
}

@ObjectType({
  description: 'A claim of the node, or of a node of the chain, about its health in an interval.',
})
export class IntervalClaim {
  @text('The status of its own /da/health, as sent.') readonly claim: string;
  @ids('The nodes that made the claim.') readonly nodes: readonly string[];
  @exactInt64('Lower bound of the milliseconds in which the claim contradicted what we saw.')
  readonly falseMinMs: bigint;
  @exactInt64(
    'Upper bound of the milliseconds in which the claim contradicted what we saw. The bounds differ only if the interval cuts a stretch of health of which only the sum is known, or if several nodes made the claim.',
  )
  readonly falseMaxMs: bigint;
}

@ObjectType({
  description:
    'Recorded blocks whose time lies in an interval, and how they were posted. A lag is the time from a block to the later of the first successful submissions that carried its header and its data.',
})
export class IntervalBlocks {
  @exactInt64('Recorded blocks.') readonly produced: bigint;
  @exactInt64('Blocks in `produced` that a node has shown as included, header and data, by now or by `asOf`.')
  readonly included: bigint;
  @exactInt64('Transactions of all these blocks.') readonly transactions: bigint;
  @float.orNull('p95 of the lags in milliseconds: an actual lag, not interpolated. Null if no lag is known.')
  readonly lagP95Ms: number | null;
  @float.orNull('The longest lag in milliseconds. Null if no lag is known.') readonly lagMaxMs: number | null;
  @float.orNull(
    'Milliseconds beyond which a block counts as delayed: twice the median lag of the 24 hours before the interval. Null if no lag of these 24 hours is known.',
  )
  readonly delayLimitMs: number | null;
  @exactInt64.orNull(
    'Blocks whose lag exceeds `delayLimitMs`; for a block that is not included, its age counts. Null if `delayLimitMs` is null, or if no lag is known.',
  )
  readonly delayed: bigint | null;
  @exactInt64.orNull('Transactions in the delayed blocks. Null if `delayed` is null.')
  readonly transactionsDelayed: bigint | null;
  @exactInt64.orNull(
    'Lower bound of the most blocks that waited for inclusion at one moment, among blocks produced in the interval or in the 24 hours before it. Null if no lag in the interval is known.',
  )
  readonly mostPending: bigint | null;
}

@ObjectType({
  description:
    'How long blocks waited until a node was first seen to show them as included, header and data. The figures cover the blocks of an interval, and the blocks of the 24 hours before it that still waited when it began. For a chain, the first of its nodes to show the inclusion counts. For a block that still waits, its age counts; lengths are therefore lower bounds while `stillWaiting` or `unknown` is not 0. Blocks are polled every 5 s, or every 2 s while no block is newly included: a wait is up to 6 s too long.',
})
export class IntervalWaits {
  @exactInt64('Blocks that waited in the interval, even for a short time.') readonly waited: bigint;
  @exactInt64(
    'Blocks in `waited` for which we did not see when their inclusion was first shown. They came more than a minute old and already included, or waited during time that was not monitored, less than ten minutes before they were found. Each counts as waiting until it was last reported as not included. If that time is unknown, the block counts in `p95Ms` with no wait, and in the other figures not at all.',
  )
  readonly unknown: bigint;
  @float.orNull(
    'Milliseconds beyond which a block counts as delayed: twice the median wait of the blocks of the 24 hours before the interval that were shown as included in these 24 hours. Null if no such wait is known.',
  )
  readonly limitMs: number | null;
  @exactInt64.orNull(
    'Blocks that waited longer than `limitMs`; a lower bound while some blocks are `unknown`. Null if all blocks are `unknown`, or if `limitMs` is null.',
  )
  readonly delayed: bigint | null;
  @exactInt64.orNull('Transactions in the delayed blocks. Null if `delayed` is null.')
  readonly transactionsDelayed: bigint | null;
  @float.orNull(
    'p95 of the waits in milliseconds: an actual wait, not interpolated. Null if no wait is known, or if too many are `unknown`.',
  )
  readonly p95Ms: number | null;
  @float.orNull('The longest wait in milliseconds. Null if no wait is known.') readonly maxMs: number | null;
  @exactInt64('Blocks that no node has shown as included by now, or by `asOf`.')
  readonly stillWaiting: bigint;
  @exactInt64('Transactions in the blocks of `stillWaiting`.') readonly transactionsStillWaiting: bigint;
  @float.orNull(
    'Milliseconds that the oldest block of `stillWaiting` has waited. Null without a waiting block.',
  )
  readonly longestStillWaitingMs: number | null;
  @exactInt64.orNull(
    'Lower bound of the most blocks that waited at one moment of the interval. Null if all blocks are `unknown`.',
  )
  readonly mostWaiting: bigint | null;
}

@ObjectType({
  description:
    'Figures of an interval of a node or of a chain. For a chain, each attempt and each block counts once, whichever of its nodes showed it. Null means unknown, never zero: counts and money are null if nothing is recorded and the interval was not monitored.',
})
export class IntervalReport {
  @id.orNull('Id of the node; null for a chain.') readonly node: string | null;
  @text.orNull('The chain, if the report is for a chain.') readonly chain: string | null;
  @dateTime('As requested.') readonly from: Nanos;
  @dateTime('As requested, or `asOf` if that is earlier.') readonly to: Nanos;
  @exactInt64.orNull('Attempts: the rows of its list.') readonly attempts: bigint | null;
  @exactInt64.orNull('Attempts that succeeded.') readonly successes: bigint | null;
  @exactInt64.orNull('Attempts that failed.') readonly failures: bigint | null;
  @field(() => [IntervalCause], 'Failures by cause, the most frequent cause first.')
  readonly causes: IntervalCause[];
  @exactInt64.orNull('Bytes of successes, and of failures that landed, as far as known.')
  readonly sizeBytes: bigint | null;
  @exactInt64('Gaps in the record that overlap the interval.') readonly holes: bigint;
  @exactInt64(
    'Rows that are proven to be missing, in gaps that lie entirely within the interval. For a chain: the rows of the node that lost most, because other nodes may have lost the same rows.',
  )
  readonly lostMin: bigint;
  @exactInt64.orNull(
    'Upper bound of the missing rows, of all gaps that overlap the interval. Null if a gap has no bound, or if no gap is known and the interval was not fully covered up to the last polls on record.',
  )
  readonly lostMax: bigint | null;
  @exactInt64.orNull(
    'Longest time without a success, in whole milliseconds, including the time to the ends of the interval.',
  )
  readonly longestWithoutSuccessMs: bigint | null;
  @exactDecimal.orNull('Lower bound of what was paid, by the rules of `costReport`.')
  readonly feeMin: Decimal | null;
  @exactDecimal.orNull(
    'Upper bound of what was paid; null if any fee is unknown, or if nothing was paid for and `failedFeeMax` is null.',
  )
  readonly feeMax: Decimal | null;
  @text('Always `utia`.') readonly feeUnit: string;
  @exactInt64('Submissions whose fee was imported.') readonly importedFees: bigint;
  @exactInt64('Submissions priced by the gas price that the node reported.') readonly recordedFees: bigint;
  @exactInt64('Submissions priced by the price book.') readonly pricedFees: bigint;
  @exactInt64('Submissions whose fee is not known.') readonly unknownFees: bigint;
  @exactInt64.orNull(
    'Attempts that failed and did not land. Their fees are reported separately, never in `feeMin` and `feeMax`.',
  )
  readonly failedAttempts: bigint | null;
  @exactDecimal.orNull(
    'Upper bound of the cost of `failedAttempts`, if they were charged; null if an attempt has no bound.',
  )
  readonly failedFeeMax: Decimal | null;
  @float('Share of the interval, up to now, in which nothing can have been missed: 0 to 1.')
  readonly coverage: number;
  @bool(
    'False while something that is recorded is not read or not decided. The figures are then partial: figures that more rows could raise or end are null, and `coverage` is 0.',
  )
  readonly counted: boolean;
  @field.orNull(() => IntervalBlocks, 'Blocks of the interval. Null if no block is recorded.')
  readonly blocks: IntervalBlocks | null;
  @field.orNull(
    () => IntervalWaits,
    'How long blocks waited until they were shown as included: the time to finality. Null if no block of the interval or of the 24 hours before it is recorded.',
  )
  readonly waits: IntervalWaits | null;
  @field(() => [IntervalClaim], "The node's claims in the interval, each status once.")
  readonly claims: IntervalClaim[];
}
