import { ObjectType } from '@nestjs/graphql';
import type { SubmissionKind, SubmissionStatus } from '../../domain/submissions/submission-codes.js';
import { MEASURES, type Measured, type MeasureName } from '../../statistics/read/measures.js';
import {
  bool,
  dateTime,
  exactDecimal,
  exactInt64,
  fieldOf,
  float,
  id,
  ids,
  text,
} from '../graphql/fields.js';
import { HasId, VERSION } from '../objects/has-id.type.js';
import { SubmissionKinds, SubmissionStatuses } from '../submissions/submission-words.type.js';

const kind = fieldOf(() => SubmissionKinds);
const status = fieldOf(() => SubmissionStatuses);

@ObjectType({
  description:
    'A distribution, merged from sketches: a percentile is off by 0.9 % at most, `max` and `count` are exact.',
})
export class Distribution {
  @float('The median: half of the values are this or less.') readonly p50: number;
  @float('Nine of ten values are this or less.') readonly p90: number;
  @float('99 of 100 values are this or less.') readonly p99: number;
  @float('The largest value.') readonly max: number;
  @exactInt64('Number of values.') readonly count: bigint;
}

/** Members of every row of a report: its time, its group, and how much of it was monitored. */
@ObjectType({ isAbstract: true })
export abstract class ReportRow {
  @id('Ours: it names the question and the place of the row in it; `object` asks it again.')
  readonly id: string;
  @id(VERSION)
  readonly versionId: string;
  @dateTime('Start of the bucket, even if `from` cuts it; UTC.')
  readonly time: bigint;
  @text.orNull(
    "The day, such as `2026-01-31`, in `timeZone` or else in the chain's own time zone. `time` is UTC, and may be on the day before. Null in rows of other buckets.",
  )
  readonly day: string | null;
  @text.orNull(
    'First day of its month, such as `2026-01-01`, in the same time zone as `day`. Null unless the row is a day or a month.',
  )
  readonly month: string | null;
  @id.orNull('Null unless grouped by node.')
  readonly node: string | null;
  @text.orNull('Null unless grouped by chain; also null for nodes that have not reported their chain.')
  readonly chain: string | null;
  @ids.orNull(
    'The nodes that the figures of a chain come from: nodes that name the chain or have shown blocks of it. Null unless rows are grouped by chain, and neither filtered for nor grouped by nodes.',
  )
  nodes?: readonly string[] | null;
  @text.orNull(
    'Null unless grouped by namespace; also null for attempts without a namespace. `other` stands for all namespaces of a node beyond the first 100 that it showed; filters accept it, too.',
  )
  readonly namespace: string | null;
  @kind.orNull('Null unless grouped by kind.')
  readonly kind: SubmissionKind | null;
  @status.orNull('Null unless grouped by status.')
  readonly status: SubmissionStatus | null;
  @float(
    "Share of the row's time in which no attempt can have been missed, from 0 to 1; for a chain, in any list of its nodes. Time counts if it is requested and past, and if the chain existed. Time that is not `counted` is not covered. 0 means that this is not proven for any moment; `coverageGaps` lists the reasons.",
  )
  readonly coverage: number;
  @bool(
    "False while events of the row's time are unread (`Service.unreadFrom`), or while an event that affects very much of one of its chains is decided in several steps (`Chain.undecidedSteps`). The figures may then be partial; they follow the decisions within seconds. Also false while a node of the chain shows a new list of submissions and the process behind that list has not named its chain: until then, the rows of that list belong to no chain.",
  )
  readonly decided: boolean;
  @bool(
    'False while the figures lack something that is recorded for the time of the row, and while the row is not `decided`. Figures are then null if nothing is counted; otherwise they cover what is counted: they are lower bounds, and every upper bound is null. They catch up within seconds, unless `service` reports that statistics are behind. Meanwhile a report by namespace, kind or status has a row of nulls for each bucket of a node or chain of which nothing is counted.',
  )
  readonly counted: boolean;
  @bool(
    'True if a node of the row has shown more than 100 namespaces. Namespaces beyond the first 100 are counted under `other`, so a filter for one of these finds nothing here.',
  )
  otherNamespaces?: boolean;
}

const distribution = fieldOf(() => Distribution);

/** The field of a measure, by its unit. */
const FIELDS = {
  COUNT: exactInt64.orNull,
  GAPS: exactInt64.orNull,
  GAS: exactInt64.orNull,
  UTIA: exactDecimal.orNull,
  FIAT: exactDecimal.orNull,
  PRICE: exactDecimal.orNull,
  CURRENCY: (about: string) => text.orNull(about),
  RATIO: (about: string) => float.orNull(about),
  SHARE: float,
  DISTRIBUTION: (about: string) => distribution.orNull(about, { complexity: 5 }),
};

/** Makes a class of rows with these measures, each with its description. */
export function rowWith<Name extends MeasureName>(
  measures: Readonly<Record<Name, string>>,
): abstract new () => ReportRow & Measured<Name> {
  @ObjectType({ isAbstract: true })
  abstract class MeasuredRow extends ReportRow {}
  for (const [name, about] of Object.entries<string>(measures))
    FIELDS[MEASURES[name as Name].unit](about)(MeasuredRow.prototype, name);
  return MeasuredRow as never;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'Figures of a bucket. Null means unknown, never zero: counts are null if nothing is recorded and the bucket was not monitored (`coverage` 0), or if nothing is `counted` yet. If the bucket was monitored and nothing was posted, they are 0.',
})
export class StatisticsRow extends rowWith({
  attempts: 'Attempts that lists showed; for a chain, each attempt once.',
  successes: 'Attempts that succeeded.',
  failures: 'Attempts that failed, with any status.',
  successRate: '`successes` divided by `attempts`; null without attempts.',
  reconstructed:
    'Successes that only blocks prove. They count in volume and cost, not in `attempts` and rates.',
  undecided:
    'Groups of blobs that some failed attempts may have posted, but no attempt certainly did. They count in volume and cost, not in `attempts` and rates.',
  landed:
    'Failed attempts whose blobs blocks show anyway. They count in volume and cost, because they were paid for.',
  unreferenced: 'Successful attempts that no block points to: paid for nothing.',
  unreadable: 'Submissions whose blobs or bytes are unknown: `blobCount` and `sizeBytes` lack them.',
  blobCount: 'Blobs posted by successful, landed, reconstructed and undecided submissions.',
  sizeBytes: 'Bytes posted by the same submissions as `blobCount`.',
  averageBlobBytes: '`sizeBytes` divided by `blobCount`; null without blobs.',
  blobBytes:
    'Bytes of a blob. If the blocks of a submission are unknown, each of its blobs counts with their mean.',
  sharesMin: 'Lower bound of the shares on the DA layer, from submissions whose size is known.',
  sharesMax: 'Upper bound of the shares; null if the size of any submission is unknown.',
  reconstructedShares: 'Shares of the reconstructed submissions, as far as known.',
  gasPriceMin: 'Lowest gas price that an attempt reported, utia per gas.',
  gasPriceMean: 'Mean gas price of the attempts that reported one.',
  gasPriceMax: 'Highest gas price that an attempt reported, utia per gas.',
  gasPriceLast: 'Gas price of the latest attempt that reported one.',
  inclusionLagMs: 'Time from a block to the success that carried its header or data, in milliseconds.',
  submissionTimeMs:
    'Time from the first attempt of a batch to its success, in milliseconds: the time to recover. Only for batches that failed before.',
  blocksProduced:
    'Blocks whose time lies in the bucket. Like all block figures, null if no block of that time is recorded. Also null if rows are grouped by, or filtered for, namespace, kind or status.',
  blocksMissing:
    'How many more blocks the bucket may have: heights that no node has returned so far, and that may lie in the bucket. If it is 0, the block figures are exact; otherwise they are lower bounds. Null if `blocksProduced` is null, and with `knownAt`.',
  blocksIncluded: 'Produced blocks whose header and data are included by now.',
  transactions: 'Transactions of these blocks.',
  transactionsIncluded: 'Transactions of the blocks that are included by now.',
  transactionBytes: 'Bytes of `transactions`.',
  transactionBytesIncluded: 'Bytes of `transactionsIncluded`.',
  pendingAtEnd:
    'Blocks produced and not posted when the bucket ended (or now); the sum for several chains or nodes together.',
  inclusionFrontierAtEnd:
    'Height up to which headers and data were posted when the bucket ended; null for several chains or nodes together.',
  holes: 'Gaps in the record that were found in the bucket: periods in which attempts may have been missed.',
  provenLost: 'Attempts that are proven to be missing in these gaps.',
  likelyLost: 'An estimate of the missing attempts, from the rate around the gaps.',
}) {}
