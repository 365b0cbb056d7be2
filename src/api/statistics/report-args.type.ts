import { ArgsType, Field, ID, InputType, registerEnumType } from '@nestjs/graphql';
import type { SubmissionKind } from '../../domain/submissions/submission-codes.js';
import type { SubmissionStatus } from '../../domain/submissions/submission-row.js';
import {
  REPORT_BUCKETS,
  REPORT_GROUPS,
  type ReportBucket,
  type ReportGroup,
  type ReportRequest,
} from '../../statistics/read/plan/report-request.js';
import { enumOf } from '../graphql/literal-enum.js';
import { DateTime, toMicros } from '../graphql/scalars.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { SubmissionKinds, SubmissionStatuses } from '../submissions/submission-words.type.js';
import { millisToMicros } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';

export const Buckets = enumOf(REPORT_BUCKETS);
const Groups = enumOf(REPORT_GROUPS);

registerEnumType(Buckets, {
  name: 'Bucket',
  description: 'How much time a row covers.',
  valuesMap: {
    QUARTER_HOUR: { description: 'A quarter of an hour of UTC: what all others are added up from.' },
    HOUR: {
      description: 'An hour of UTC; of `timeZone` where that is named and its hours begin at other minutes.',
    },
    DAY: { description: "A day of `timeZone`, else of the chain's reporting zone: 23 to 25 hours." },
    WEEK: { description: 'Seven days from Monday on.' },
    MONTH: { description: 'A month of these days.' },
    YEAR: { description: 'A year of these days.' },
  },
});

registerEnumType(Groups, {
  name: 'StatisticsGroup',
  description: 'What rows are told apart by.',
  valuesMap: {
    CHAIN: { description: 'The chain.' },
    NAMESPACE: { description: 'The namespace that a batch was posted to.' },
    KIND: { description: 'What a batch holds.' },
    STATUS: { description: 'How an attempt ended.' },
    NODE: {
      description:
        'What each node showed. Several nodes of a chain may show the same attempts, so their sum can be more than the chain. No node shows `RECONSTRUCTED` or `UNDECIDED`.',
    },
  },
});

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class StatisticsFilter {
  @Field(() => [ID], {
    nullable: true,
    description:
      'Counts what these nodes showed, without `RECONSTRUCTED` and `UNDECIDED`, instead of each submission of the chain once.',
  })
  nodes?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Ids of chains.' })
  chains?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: "58 hex digits; case and 0x don't matter. Or `other`, see `namespace` of the rows.",
  })
  namespaces?: string[] | null;

  @Field(() => [SubmissionKinds], { nullable: true, description: 'What batches hold.' })
  kinds?: SubmissionKind[] | null;

  @Field(() => [SubmissionStatuses], { nullable: true, description: 'How attempts ended.' })
  statuses?: SubmissionStatus[] | null;
}

@ArgsType()
export class ReportArgs extends TravelArgs {
  @Field(() => StatisticsFilter, {
    nullable: true,
    description: 'What is counted; everything when left out.',
  })
  filter?: StatisticsFilter | null;

  @Field(() => Buckets, { description: 'How much time a row covers.' })
  bucket: ReportBucket;

  @Field(() => [Groups], {
    nullable: true,
    defaultValue: [],
    description: 'What rows are told apart by; one row for each bucket when left out.',
  })
  groupBy?: ReportGroup[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Inclusive, down to the quarter hour; where it cuts a bucket, that one holds the rest. The beginning of the record when left out, but at most 9,990 buckets back.',
  })
  from?: bigint | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Exclusive, up to the quarter hour. The end of the record when left out.',
  })
  to?: bigint | null;

  @Field(() => String, {
    nullable: true,
    description: "IANA name of the zone of days, such as `Europe/Berlin`; the chain's own when left out.",
  })
  timeZone?: string | null;
}

@ArgsType()
export class CostArgs extends ReportArgs {
  @Field(() => DateTime, {
    nullable: true,
    description:
      'What it would have cost at the prices that the book holds for this moment, for all of the time. Imported fees and gas prices that nodes reported stay what they are.',
  })
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
