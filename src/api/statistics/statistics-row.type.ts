import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import type { SubmissionKind } from '../../domain/submissions/submission-codes.js';
import type { SubmissionStatus } from '../../domain/submissions/submission-row.js';
import { DecimalField, Int64Field } from '../graphql/exact-field.js';
import { DateTime } from '../graphql/scalars.js';
import { SubmissionKinds, SubmissionStatuses } from '../submissions/submission-words.type.js';
import { HasId, VERSION } from '../objects/has-id.type.js';

@ObjectType({
  description:
    'A distribution, merged from sketches: a percentile is off by 0.9 % at most, `max` and `count` are exact.',
})
export class Distribution {
  @Field(() => Float, { description: 'Half of the values are this or less.' })
  readonly p50: number;

  @Field(() => Float, { description: 'Nine of ten values are this or less.' })
  readonly p90: number;

  @Field(() => Float, { description: '99 of 100 values are this or less.' })
  readonly p99: number;

  @Field(() => Float, { description: 'The largest value.' })
  readonly max: number;

  @Int64Field({ description: 'How many values there are.' })
  readonly count: bigint;
}

/** Members of every row of a report: its time, its group, and how much of it was monitored. */
@ObjectType({ isAbstract: true })
export abstract class ReportRow {
  @Field(() => ID, {
    description: 'Ours: it names the question and the place of the row in it; `object` asks it again.',
  })
  readonly id: string;

  @Field(() => ID, { description: VERSION })
  readonly versionId: string;

  @Field(() => DateTime, { description: 'Start of the bucket, also where `from` cuts it; UTC.' })
  readonly time: bigint;

  @Field(() => String, {
    nullable: true,
    description:
      "The day as `2026-01-31`, by the clocks of the zone whose days are counted: `timeZone`, else the chain's own. `time` is UTC, and may lie on the day before. Null in rows of other buckets.",
  })
  readonly day: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The month of a row by day or month as `2026-01`, by the same clocks. Null in others.',
  })
  readonly month: string | null;

  @Field(() => ID, { nullable: true, description: 'Null unless grouped by node.' })
  readonly node: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Null unless grouped by chain, and for nodes that have not said theirs.',
  })
  readonly chain: string | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      'Of figures of a chain (grouped by chain, no nodes named or told apart) the nodes that they come from. These name the chain or have shown blocks of it. Null for others.',
  })
  nodes?: readonly string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Null unless grouped by namespace, and for attempts that name none. `other`: all namespaces of a node beyond the first 100 that it showed; a filter takes that name, too.',
  })
  readonly namespace: string | null;

  @Field(() => SubmissionKinds, { nullable: true, description: 'Null unless grouped by kind.' })
  readonly kind: SubmissionKind | null;

  @Field(() => SubmissionStatuses, { nullable: true, description: 'Null unless grouped by status.' })
  readonly status: SubmissionStatus | null;

  @Field(() => Float, {
    description:
      'Share of the time of the row in which no attempt can have been missed; of a chain in any list of its nodes. Time counts as far as it is asked for and past, and the chain was there; what is not `counted` covers nothing. 0: of no moment is that proven, see `coverageGaps`. 0 to 1.',
  })
  readonly coverage: number;

  @Field(() => Boolean, {
    description:
      'False while events of the time of the row are not read (`Service.unreadFrom`), or one that touches very much of one of its chains is decided in turns (`Chain.undecidedSteps`). The figures may be of a part of it. They follow what is decided within seconds. False as well while a node of the chain shows a new list of submissions whose process has not named its chain: rows of that list are in no chain until then.',
  })
  readonly decided: boolean;

  @Field(() => Boolean, {
    description:
      'False while something that is recorded of the time of the row is not in its figures yet, also while it is not `decided`. Figures are then null where nothing is counted, else of what is: lower bounds, with null for each upper one. They follow within seconds, unless `service` says that statistics are behind. A report by namespace, kind or status then has a row of nulls for each bucket of a node or chain of which nothing is counted.',
  })
  readonly counted: boolean;

  @Field(() => Boolean, {
    description:
      'True where a node of the row has shown more than 100 namespaces. Those beyond the first 100 are counted under `other`, so a filter for one of them finds nothing here.',
  })
  otherNamespaces?: boolean;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'What happened in a bucket. Null is unknown, never zero: where nothing is recorded and nobody watched (`coverage` 0), or nothing is `counted` yet, counts are null; watched and nothing posted is 0.',
})
export class StatisticsRow extends ReportRow {
  @Int64Field({ nullable: true, description: 'Attempts that lists showed; of a chain each once.' })
  readonly attempts: bigint | null;

  @Int64Field({ nullable: true, description: 'Attempts that succeeded.' })
  readonly successes: bigint | null;

  @Int64Field({ nullable: true, description: 'Attempts that failed, with whatever status.' })
  readonly failures: bigint | null;

  @Field(() => Float, { nullable: true, description: '`successes` of `attempts`; null without attempts.' })
  readonly successRate: number | null;

  @Int64Field({
    nullable: true,
    description: 'Successes that only blocks prove. In volume and cost, not in `attempts` and rates.',
  })
  readonly reconstructed: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Groups of blobs that some of `failures` may have posted, and none certainly did. In volume and cost, not in `attempts` and rates.',
  })
  readonly undecided: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Of `failures`, those whose blobs blocks show all the same. In volume and cost, as they were paid for.',
  })
  readonly landed: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Of `successes`, those that no block points to: paid for nothing.',
  })
  readonly unreferenced: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Submissions whose blobs or bytes are not known: they are missing in the two sums.',
  })
  readonly unreadable: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Blobs posted, by successes, landed, reconstructed and undecided ones.',
  })
  readonly blobCount: bigint | null;

  @Int64Field({ nullable: true, description: 'Bytes posted, by the same.' })
  readonly sizeBytes: bigint | null;

  @Field(() => Float, { nullable: true, description: '`sizeBytes` by `blobCount`; null without blobs.' })
  readonly averageBlobBytes: number | null;

  @Field(() => Distribution, {
    nullable: true,
    complexity: 5,
    description:
      'Bytes of a blob; where the blocks of a submission are not known, their mean for each of its blobs.',
  })
  readonly blobBytes: Distribution | null;

  @Int64Field({
    nullable: true,
    description: 'Least shares on the DA layer of the submissions whose size is known.',
  })
  readonly sharesMin: bigint | null;

  @Int64Field({ nullable: true, description: 'Most shares; null where the size of one is not known.' })
  readonly sharesMax: bigint | null;

  @Int64Field({ nullable: true, description: 'Shares of the reconstructed ones, where known.' })
  readonly reconstructedShares: bigint | null;

  @DecimalField({ nullable: true, description: 'Least gas price that an attempt reported, utia per gas.' })
  readonly gasPriceMin: string | null;

  @DecimalField({ nullable: true, description: 'Mean over the attempts that reported one.' })
  readonly gasPriceMean: string | null;

  @DecimalField({ nullable: true, description: 'Largest gas price that an attempt reported, utia per gas.' })
  readonly gasPriceMax: string | null;

  @DecimalField({ nullable: true, description: 'That of the latest attempt that reported one.' })
  readonly gasPriceLast: string | null;

  @Field(() => Distribution, {
    nullable: true,
    complexity: 5,
    description: 'From the time of a block to the success that carried its header or data, in milliseconds.',
  })
  readonly inclusionLagMs: Distribution | null;

  @Field(() => Distribution, {
    nullable: true,
    complexity: 5,
    description:
      'From the first attempt of a batch to its success, in milliseconds: the time it took to recover. Only of batches that failed before.',
  })
  readonly submissionTimeMs: Distribution | null;

  @Int64Field({
    nullable: true,
    description:
      'Blocks whose time lies in the bucket. As all block figures null where none are recorded of that time. Null also where rows are told apart by, or filtered for, namespace, kind or status.',
  })
  readonly blocksProduced: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'How many more blocks that time may have: heights that no node has given so far, and that may lie in the bucket. The block figures are exact where it is 0, else lower bounds. Null where `blocksProduced` is, and with `knownAt`.',
  })
  readonly blocksMissing: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Of the blocks produced, those whose header and data are included by now.',
  })
  readonly blocksIncluded: bigint | null;

  @Int64Field({ nullable: true, description: 'Transactions of these blocks.' })
  readonly transactions: bigint | null;

  @Int64Field({ nullable: true, description: 'Transactions of those that are included by now.' })
  readonly transactionsIncluded: bigint | null;

  @Int64Field({ nullable: true, description: 'Bytes of `transactions`.' })
  readonly transactionBytes: bigint | null;

  @Int64Field({ nullable: true, description: 'Bytes of `transactionsIncluded`.' })
  readonly transactionBytesIncluded: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Blocks produced and not posted when the bucket ended (or now): of several chains or nodes together the sum.',
  })
  readonly pendingAtEnd: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Height up to which headers and data were posted when the bucket ended; null of several chains or nodes together.',
  })
  readonly inclusionFrontierAtEnd: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Holes in the record that were found in the bucket: times in which attempts may have been missed.',
  })
  readonly holes: number | null;

  @Int64Field({ nullable: true, description: 'Attempts that are proven to be missing in them.' })
  readonly provenLost: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'An estimate of how many are missing, from the rate around them.',
  })
  readonly likelyLost: bigint | null;
}
