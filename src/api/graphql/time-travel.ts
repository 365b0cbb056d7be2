import { ArgsType } from '@nestjs/graphql';
import { type Millis, type Nanos, nanosToMicros, nanosToMillis } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';
import { findPositionAt } from '../../statistics/read/plan/log-position.query.js';
import { dateTime } from './fields.js';

const AS_OF = 'The state at this time, with everything that is known today: only what happened before it.';
const KNOWN_AT =
  "The state as recorded by this time, by today's rules. Fields that keep no history are null.";

/** Arguments for queries about the past. With both: what was known at `knownAt` of the world at `asOf`. */
@ArgsType()
export class TravelArgs {
  @dateTime.orNull(AS_OF) asOf?: Nanos | null;
  @dateTime.orNull(KNOWN_AT) knownAt?: Nanos | null;
}

/** The past that a query is about. */
export interface Past {
  /** Only what was known at this position of the log; everything known when left out. */
  readonly knownAt?: bigint;
  /** Only what happened before this time. */
  readonly asOf?: Nanos;
  /** The earlier of the two times: nothing later is returned. */
  readonly end?: Nanos;
}

export const PRESENT: Past = {};

/** Finds the past that the arguments name. Before the record begins nothing is known; in the future, what is known now. */
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

/** A key that is unique for each past. */
export function nameOfPast({ knownAt, asOf, end }: Past): string {
  return [knownAt, asOf, end].join(' ');
}

/** The present, or the end of a past if that is earlier. */
export function presentOf({ end }: Past, now: Millis): Millis {
  return end === undefined ? now : Math.min(now, nanosToMillis(end));
}

/** Narrows a filter on time to what happened before `asOf`. */
export function untilAsOf<Filter extends { readonly to?: Nanos | null | undefined }>(
  filter: Filter,
  { asOf }: Past,
): Filter {
  const { to } = filter;
  return asOf === undefined || (typeof to === 'bigint' && to < asOf) ? filter : { ...filter, to: asOf };
}
