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
  @Field(() => Float, { description: 'The median: half of the values are this or less.' })
  readonly p50: number;

  @Field(() => Float, { description: 'Nine of ten values are this or less.' })
  readonly p90: number;

  @Field(() => Float, { description: '99 of 100 values are this or less.' })
  readonly p99: number;

  @Field(() => Float, { description: 'The largest value.' })
  readonly max: number;

  @Int64Field({ description: 'Number of values.' })
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

  @Field(() => DateTime, { description: 'Start of the bucket, even if `from` cuts it; UTC.' })
  readonly time: bigint;

  @Field(() => String, {
    nullable: true,
    description:
      "The day, such as `2026-01-31`, in `timeZone` or else in the chain's own time zone. `time` is UTC, and may be on the day before. Null in rows of other buckets.",
  })
  readonly day: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The month of a daily or monthly row, such as `2026-01`, in the same time zone as `day`. Null in other rows.',
  })
  readonly month: string | null;

  @Field(() => ID, { nullable: true, description: 'Null unless grouped by node.' })
  readonly node: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Null unless grouped by chain; also null for nodes that have not reported their chain.',
  })
  readonly chain: string | null;

  @Field(() => [ID], {
    nullable: true,
    description:
      'The nodes that the figures of a chain come from: nodes that name the chain or have shown blocks of it. Null unless rows are grouped by chain, and neither filtered for nor grouped by nodes.',
  })
  nodes?: readonly string[] | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Null unless grouped by namespace; also null for attempts without a namespace. `other` stands for all namespaces of a node beyond the first 100 that it showed; filters accept it, too.',
  })
  readonly namespace: string | null;

  @Field(() => SubmissionKinds, { nullable: true, description: 'Null unless grouped by kind.' })
  readonly kind: SubmissionKind | null;

  @Field(() => SubmissionStatuses, { nullable: true, description: 'Null unless grouped by status.' })
  readonly status: SubmissionStatus | null;

  @Field(() => Float, {
    description:
      "Share of the row's time in which no attempt can have been missed, from 0 to 1; for a chain, in any list of its nodes. Time counts if it is requested and past, and if the chain existed. Time that is not `counted` is not covered. 0 means that this is not proven for any moment; `coverageGaps` lists the reasons.",
  })
  readonly coverage: number;

  @Field(() => Boolean, {
    description:
      "False while events of the row's time are unread (`Service.unreadFrom`), or while an event that affects very much of one of its chains is decided in several steps (`Chain.undecidedSteps`). The figures may then be partial; they follow the decisions within seconds. Also false while a node of the chain shows a new list of submissions and the process behind that list has not named its chain: until then, the rows of that list belong to no chain.",
  })
  readonly decided: boolean;

  @Field(() => Boolean, {
    description:
      'False while the figures lack something that is recorded for the time of the row, and while the row is not `decided`. Figures are then null if nothing is counted; otherwise they cover what is counted: they are lower bounds, and every upper bound is null. They catch up within seconds, unless `service` reports that statistics are behind. Meanwhile a report by namespace, kind or status has a row of nulls for each bucket of a node or chain of which nothing is counted.',
  })
  readonly counted: boolean;

  @Field(() => Boolean, {
    description:
      'True if a node of the row has shown more than 100 namespaces. Namespaces beyond the first 100 are counted under `other`, so a filter for one of these finds nothing here.',
  })
  otherNamespaces?: boolean;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'Figures of a bucket. Null means unknown, never zero: counts are null if nothing is recorded and the bucket was not monitored (`coverage` 0), or if nothing is `counted` yet. If the bucket was monitored and nothing was posted, they are 0.',
})
export class StatisticsRow extends ReportRow {
  @Int64Field({ nullable: true, description: 'Attempts that lists showed; for a chain, each attempt once.' })
  readonly attempts: bigint | null;

  @Int64Field({ nullable: true, description: 'Attempts that succeeded.' })
  readonly successes: bigint | null;

  @Int64Field({ nullable: true, description: 'Attempts that failed, with any status.' })
  readonly failures: bigint | null;

  @Field(() => Float, {
    nullable: true,
    description: '`successes` divided by `attempts`; null without attempts.',
  })
  readonly successRate: number | null;

  @Int64Field({
    nullable: true,
    description:
      'Successes that only blocks prove. They count in volume and cost, not in `attempts` and rates.',
  })
  readonly reconstructed: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Groups of blobs that some failed attempts may have posted, but no attempt certainly did. They count in volume and cost, not in `attempts` and rates.',
  })
  readonly undecided: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Failed attempts whose blobs blocks show anyway. They count in volume and cost, because they were paid for.',
  })
  readonly landed: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Successful attempts that no block points to: paid for nothing.',
  })
  readonly unreferenced: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Submissions whose blobs or bytes are unknown: `blobCount` and `sizeBytes` lack them.',
  })
  readonly unreadable: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Blobs posted by successful, landed, reconstructed and undecided submissions.',
  })
  readonly blobCount: bigint | null;

  @Int64Field({ nullable: true, description: 'Bytes posted by the same submissions as `blobCount`.' })
  readonly sizeBytes: bigint | null;

  @Field(() => Float, {
    nullable: true,
    description: '`sizeBytes` divided by `blobCount`; null without blobs.',
  })
  readonly averageBlobBytes: number | null;

  @Field(() => Distribution, {
    nullable: true,
    complexity: 5,
    description:
      'Bytes of a blob. If the blocks of a submission are unknown, each of its blobs counts with their mean.',
  })
  readonly blobBytes: Distribution | null;

  @Int64Field({
    nullable: true,
    description: 'Lower bound of the shares on the DA layer, from submissions whose size is known.',
  })
  readonly sharesMin: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Upper bound of the shares; null if the size of any submission is unknown.',
  })
  readonly sharesMax: bigint | null;

  @Int64Field({ nullable: true, description: 'Shares of the reconstructed submissions, as far as known.' })
  readonly reconstructedShares: bigint | null;

  @DecimalField({ nullable: true, description: 'Lowest gas price that an attempt reported, utia per gas.' })
  readonly gasPriceMin: string | null;

  @DecimalField({ nullable: true, description: 'Mean gas price of the attempts that reported one.' })
  readonly gasPriceMean: string | null;

  @DecimalField({ nullable: true, description: 'Highest gas price that an attempt reported, utia per gas.' })
  readonly gasPriceMax: string | null;

  @DecimalField({ nullable: true, description: 'Gas price of the latest attempt that reported one.' })
  readonly gasPriceLast: string | null;

  @Field(() => Distribution, {
    nullable: true,
    complexity: 5,
    description: 'Time from a block to the success that carried its header or data, in milliseconds.',
  })
  readonly inclusionLagMs: Distribution | null;

  @Field(() => Distribution, {
    nullable: true,
    complexity: 5,
    description:
      'Time from the first attempt of a batch to its success, in milliseconds: the time to recover. Only for batches that failed before.',
  })
  readonly submissionTimeMs: Distribution | null;

  @Int64Field({
    nullable: true,
    description:
      'Blocks whose time lies in the bucket. Like all block figures, null if no block of that time is recorded. Also null if rows are grouped by, or filtered for, namespace, kind or status.',
  })
  readonly blocksProduced: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'How many more blocks the bucket may have: heights that no node has returned so far, and that may lie in the bucket. If it is 0, the block figures are exact; otherwise they are lower bounds. Null if `blocksProduced` is null, and with `knownAt`.',
  })
  readonly blocksMissing: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'Produced blocks whose header and data are included by now.',
  })
  readonly blocksIncluded: bigint | null;

  @Int64Field({ nullable: true, description: 'Transactions of these blocks.' })
  readonly transactions: bigint | null;

  @Int64Field({ nullable: true, description: 'Transactions of the blocks that are included by now.' })
  readonly transactionsIncluded: bigint | null;

  @Int64Field({ nullable: true, description: 'Bytes of `transactions`.' })
  readonly transactionBytes: bigint | null;

  @Int64Field({ nullable: true, description: 'Bytes of `transactionsIncluded`.' })
  readonly transactionBytesIncluded: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Blocks produced and not posted when the bucket ended (or now); the sum for several chains or nodes together.',
  })
  readonly pendingAtEnd: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Height up to which headers and data were posted when the bucket ended; null for several chains or nodes together.',
  })
  readonly inclusionFrontierAtEnd: bigint | null;

  @Int64Field({
    nullable: true,
    description:
      'Gaps in the record that were found in the bucket: periods in which attempts may have been missed.',
  })
  readonly holes: number | null;

  @Int64Field({ nullable: true, description: 'Attempts that are proven to be missing in these gaps.' })
  readonly provenLost: bigint | null;

  @Int64Field({
    nullable: true,
    description: 'An estimate of the missing attempts, from the rate around the gaps.',
  })
  readonly likelyLost: bigint | null;
}
