import { ArgsType, Field, ID, InputType, registerEnumType } from '@nestjs/graphql';
import type { SubmissionKind, SubmissionStatus } from '../../domain/submissions/submission-codes.js';
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
    TEN_SECONDS: {
      description:
        'Ten seconds of UTC, computed from rows at each request: for at most six hours, and not for cost.',
    },
    MINUTE: {
      description:
        'A minute of UTC, computed from rows at each request: for at most six hours, and not for cost.',
    },
    QUARTER_HOUR: { description: 'A quarter of an hour of UTC. All longer buckets are sums of these.' },
    HOUR: {
      description: 'An hour of UTC, or of `timeZone` if that is given and its hours begin at other minutes.',
    },
    DAY: { description: "A day in `timeZone`, or else in the chain's reporting time zone: 23 to 25 hours." },
    WEEK: { description: 'Seven days, beginning on Monday.' },
    MONTH: { description: 'A month of these days.' },
    QUARTER: { description: 'Three of these months: from January, April, July and October on.' },
    YEAR: { description: 'A year of these days.' },
  },
});

registerEnumType(Groups, {
  name: 'StatisticsGroup',
  description: 'Grouping of rows.',
  valuesMap: {
    CHAIN: { description: 'The chain.' },
    NAMESPACE: { description: 'The namespace that a batch was posted to.' },
    KIND: { description: 'The content of a batch.' },
    STATUS: { description: 'How an attempt ended.' },
    NODE: {
      description:
        'The node that showed the attempt. Several nodes of a chain may show the same attempts, so their sum can be more than the chain. No node shows `RECONSTRUCTED` or `UNDECIDED`.',
    },
  },
});

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
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

  @Field(() => [SubmissionKinds], { nullable: true, description: 'Kinds of batches.' })
  kinds?: SubmissionKind[] | null;

  @Field(() => [SubmissionStatuses], { nullable: true, description: 'How attempts ended.' })
  statuses?: SubmissionStatus[] | null;
}

@ArgsType()
export class ReportArgs extends TravelArgs {
  @Field(() => StatisticsFilter, {
    nullable: true,
    description: 'Filter for what is counted; everything if left out.',
  })
  filter?: StatisticsFilter | null;

  @Field(() => Buckets, { description: 'How much time a row covers.' })
  bucket: ReportBucket;

  @Field(() => [Groups], {
    nullable: true,
    defaultValue: [],
    description: 'Grouping of the rows; one row for each bucket if left out.',
  })
  groupBy?: ReportGroup[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Inclusive, rounded down to the quarter hour, or to a shorter bucket; a bucket that it cuts has the rest. If left out: the beginning of the record, but at most 9,990 buckets back; for buckets shorter than a quarter hour, six hours before `to`.',
  })
  from?: bigint | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Exclusive, rounded up to the quarter hour, or to a shorter bucket. If left out: the end of the record; for buckets shorter than a quarter hour, now.',
  })
  to?: bigint | null;

  @Field(() => String, {
    nullable: true,
    description: "IANA name of the time zone for days, such as `Europe/Berlin`; the chain's own if left out.",
  })
  timeZone?: string | null;
}

@ArgsType()
export class CostArgs extends ReportArgs {
  @Field(() => DateTime, {
    nullable: true,
    description:
      'Computes the cost of the whole range at the prices that the book has for this moment. Imported fees, and gas prices that nodes reported, stay the same.',
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
