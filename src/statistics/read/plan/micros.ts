/** SQL for a time as Unix microseconds. */
export function selectMicros(expression: string, name: string): string {
  return `(extract(epoch FROM ${expression}) * 1000000)::bigint AS ${name}`;
}

/** Unix microseconds, of a whole millisecond, as text that Postgres reads as a time. */
export function toTimestamp(us: bigint): string {
  return new Date(Number(us / 1000n)).toISOString();
}
