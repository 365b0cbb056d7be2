/** A shorter time does not predict a day. */
const LEAST_SPAN_MS = 600_000;
export const DAY_MS = 86_400_000;

export interface DiskUse {
  readonly logBytes: bigint;
  /** Everything in the database that can be computed from the log, and the little that is stored next to it. */
  readonly readModelBytes: bigint;
  /** Undefined where free space cannot be read: the disk belongs to another computer or is hidden. */
  readonly freeBytes: bigint | undefined;
  /** Undefined until ten minutes of events are known. */
  readonly growthBytesPerDay?: number;
}

/**
 * Bytes per day by which log and read models grow, estimated from the share of events in the last day. Undefined until ten
 * minutes of events are known.
 *
 * @param events `all` of the log, and the `recent` ones of the last `spanMs`: a day, or the time since the first event
 */
export function growthPerDay(
  bytes: bigint,
  events: { readonly all: bigint; readonly recent: bigint; readonly spanMs: number },
): number | undefined {
  const { all, recent, spanMs } = events;
  if (all === 0n || spanMs < LEAST_SPAN_MS) return undefined;
  return (Number(bytes) * (Number(recent) / Number(all)) * DAY_MS) / spanMs;
}

/** Days until the disk is full at this growth; undefined where free space or growth is unknown, and where nothing grows. */
export function daysLeft({ freeBytes, growthBytesPerDay }: DiskUse): number | undefined {
  if (freeBytes === undefined || !growthBytesPerDay) return undefined;
  return Number(freeBytes) / growthBytesPerDay;
}
