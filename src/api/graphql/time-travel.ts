import { ArgsType } from '@nestjs/graphql';
import { type Millis, type Nanos, nanosToMicros, nanosToMillis } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';
import { findPositionAt } from '../../statistics/read/plan/log-position.query.js';
import { dateTime } from './fields.js';

const AS_OF = 'The world at this time, with all that is known today: only what lies before it.';
const KNOWN_AT =
  'What was recorded by this time, by the rules of today. Fields that keep no history are null.';

/** Arguments that turn back time; both together: what was known by one time of the world at the other. */
@ArgsType()
export class TravelArgs {
  @dateTime.orNull(AS_OF) asOf?: Nanos | null;
  @dateTime.orNull(KNOWN_AT) knownAt?: Nanos | null;
}

/** A past that is asked about. */
export interface Past {
  /** Position of the log: what was known there. All that is known when left out. */
  readonly knownAt?: bigint;
  /** Only what lies before it. */
  readonly asOf?: Nanos;
  /** The earlier one of the two times: nothing is told of what is later. */
  readonly end?: Nanos;
}

/** What is known of the present. */
export const PRESENT: Past = {};

/** The past that arguments ask about. Before the record nothing is known; in the future what is known now. */
export async function findPast(source: Database, { asOf, knownAt }: TravelArgs): Promise<Past> {
  const query = <Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> =>
    source.query<Row[]>(sql, [...parameters]);
  const times = [asOf, knownAt].filter((time) => typeof time === 'bigint');
  return {
    ...(typeof asOf === 'bigint' && { asOf }),
    ...(typeof knownAt === 'bigint' && { knownAt: await findPositionAt(query, nanosToMicros(knownAt)) }),
    ...(times.length > 0 && { end: times.reduce((a, b) => (a < b ? a : b)) }),
  };
}

/** Names a past among others. */
export function nameOfPast({ knownAt, asOf, end }: Past): string {
  return [knownAt, asOf, end].join(' ');
}

/** The present, or the end of a past. */
export function presentOf({ end }: Past, now: Millis): Millis {
  return end === undefined ? now : Math.min(now, nanosToMillis(end));
}

/** Of conditions on a time, those that hold for what lies before `asOf`, too. */
export function untilAsOf<Filter extends { readonly to?: Nanos | null | undefined }>(
  filter: Filter,
  { asOf }: Past,
): Filter {
  const { to } = filter;
  return asOf === undefined || (typeof to === 'bigint' && to < asOf) ? filter : { ...filter, to: asOf };
}
