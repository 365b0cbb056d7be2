import {
  FARTHEST_TIME_US,
  QUARTER_US,
  microsToNanos,
  nanosToMicros,
  type Micros,
  type Nanos,
} from '../domain/time.js';

/** The beginning of the UTC quarter hour that contains a time. */
export function quarterOf(at: Micros): Micros {
  const rest = at % QUARTER_US;
  return at - (rest < 0n ? rest + QUARTER_US : rest);
}

/** The quarter hour that a block counts under; implausible times count under the nearest plausible quarter. */
export function quarterOfBlock(timeNs: Nanos): Micros {
  const quarter = quarterOf(nanosToMicros(timeNs));
  return quarter < 0n ? 0n : quarter > FARTHEST_TIME_US ? FARTHEST_TIME_US : quarter;
}

/** Same as {@link quarterOf}, in SQL. @param column of type `timestamptz` */
export function quarterSql(column: string): string {
  return `date_bin('15 minutes', ${column}, 'epoch')`;
}

/** Same as {@link quarterOfBlock}, in SQL. @param column Unix nanoseconds */
export function blockQuarterSql(column: string): string {
  const quarter = `floor(${column} / ${microsToNanos(QUARTER_US)}.0)`;
  const farthest = FARTHEST_TIME_US / QUARTER_US;
  return `to_timestamp(least(greatest(${quarter}, 0), ${farthest}) * ${QUARTER_US / 1_000_000n})`;
}
