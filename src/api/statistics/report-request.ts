import { millisToMicros } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';
import type { ReportRequest } from '../../statistics/read/plan/report-request.js';
import { toMicros } from '../graphql/scalars.js';
import type { ReportArgs } from './report-args.type.js';

/** What is read for a report's arguments. */
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
