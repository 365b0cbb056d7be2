import { ArgsType, InputType } from '@nestjs/graphql';
import type { SubmissionKind, SubmissionStatus } from '../../domain/submissions/submission-codes.js';
import type { ReportBucket, ReportGroup, ReportRequest } from '../../statistics/read/plan/report-request.js';
import { enumOf } from '../graphql/literal-enum.js';
import { toMicros } from '../graphql/scalars.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { SubmissionKinds, SubmissionStatuses } from '../submissions/submission-words.type.js';
import { millisToMicros } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import { dateTime, field, ids, text, texts } from '../graphql/fields.js';

export const Buckets = enumOf<ReportBucket>('Bucket', 'How much time a row covers.', {
  TEN_SECONDS:
    'Ten seconds of UTC, computed from rows at each request: for at most six hours, and not for cost.',
  MINUTE: 'A minute of UTC, computed from rows at each request: for at most six hours, and not for cost.',
  QUARTER_HOUR: 'A quarter of an hour of UTC. All longer buckets are sums of these.',
  HOUR: 'An hour of UTC, or of `timeZone` if that is given and its hours begin at other minutes.',
  DAY: "A day in `timeZone`, or else in the chain's reporting time zone: 23 to 25 hours.",
  WEEK: 'Seven days, beginning on Monday.',
  MONTH: 'A month of these days.',
  QUARTER: 'Three of these months: from January, April, July and October on.',
  YEAR: 'A year of these days.',
});

const Groups = enumOf<ReportGroup>('StatisticsGroup', 'Grouping of rows.', {
  CHAIN: 'The chain.',
  NAMESPACE: 'The namespace that a batch was posted to.',
  KIND: 'The content of a batch.',
  STATUS: 'How an attempt ended.',
  NODE: 'The node that showed the attempt. Several nodes of a chain may show the same attempts, so their sum can be more than the chain. No node shows `RECONSTRUCTED` or `UNDECIDED`.',
});

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class StatisticsFilter {
  @ids.orNull(
    'Counts what these nodes showed, without `RECONSTRUCTED` and `UNDECIDED`, instead of each submission of the chain once.',
  )
  nodes?: string[] | null;

  @texts.orNull('Ids of chains.') chains?: string[] | null;

  @texts.orNull("58 hex digits; case and 0x don't matter. Or `other`, see `namespace` of the rows.")
  namespaces?: string[] | null;

  @field.orNull(() => [SubmissionKinds], 'Kinds of batches.') kinds?: SubmissionKind[] | null;

  @field.orNull(() => [SubmissionStatuses], 'How attempts ended.') statuses?: SubmissionStatus[] | null;
}

@ArgsType()
export class ReportArgs extends TravelArgs {
  @field.orNull(() => StatisticsFilter, 'Filter for what is counted; everything if left out.')
  filter?: StatisticsFilter | null;

  @field(() => Buckets, 'How much time a row covers.') bucket: ReportBucket;

  @field.orNull(() => [Groups], 'Grouping of the rows; one row for each bucket if left out.', {
    defaultValue: [],
  })
  groupBy?: ReportGroup[] | null;

  @dateTime.orNull(
    'Inclusive, rounded down to the quarter hour, or to a shorter bucket; a bucket that it cuts has the rest. If left out: the beginning of the record, but at most 9,990 buckets back; for buckets shorter than a quarter hour, six hours before `to`.',
  )
  from?: bigint | null;

  @dateTime.orNull(
    'Exclusive, rounded up to the quarter hour, or to a shorter bucket. If left out: the end of the record; for buckets shorter than a quarter hour, now.',
  )
  to?: bigint | null;

  @text.orNull("IANA name of the time zone for days, such as `Europe/Berlin`; the chain's own if left out.")
  timeZone?: string | null;
}

@ArgsType()
export class CostArgs extends ReportArgs {
  @dateTime.orNull(
    'Computes the cost of the whole range at the prices that the book has for this moment. Imported fees, and gas prices that nodes reported, stay the same.',
  )
  pricesAsOf?: bigint | null;
}

/** Maps a report's arguments to the request of the readers. Times are microseconds. */
export function toReportRequest(args: ReportArgs, clock: Pick<Clock, 'now'>): ReportRequest {
  const { filter, bucket, groupBy, from, to, timeZone, asOf, knownAt } = args;
  return {
    filter: filter ?? {},
    bucket,
    groupBy: groupBy ?? [],
    fromUs: toMicros(from),
    toUs: toMicros(to),
    timeZone: timeZone ?? undefined,
    nowUs: millisToMicros(clock.now()),
    asOfUs: toMicros(asOf),
    knownAtUs: toMicros(knownAt),
  };
}
