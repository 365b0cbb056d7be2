/** A shorter time tells nothing of a day. */
const LEAST_SPAN_MS = 600_000;
export const DAY_MS = 86_400_000;

/** The disk that the record takes. */
export interface DiskUse {
  readonly logBytes: bigint;
  /** All of the database that can be computed from the log, and the little that stands beside it. */
  readonly readModelBytes: bigint;
  /** Undefined where the disk cannot be asked: it is another computer's, or hidden from us. */
  readonly freeBytes: bigint | undefined;
  /** Undefined before there are ten minutes to judge by. */
  readonly growthBytesPerDay?: number;
}

/**
 * Bytes that log and read models grow by in a day, by how many events came in the last one. Undefined before there are
 * ten minutes to judge by.
 *
 * @param events of the log in all, and of them those of the last `spanMs`, which is a day, or since the first event
 */
export function growthPerDay(
  bytes: bigint,
  events: { readonly all: bigint; readonly recent: bigint; readonly spanMs: number },
): number | undefined {
  const { all, recent, spanMs } = events;
  if (all === 0n || spanMs < LEAST_SPAN_MS) return undefined;
  return (Number(bytes) * (Number(recent) / Number(all)) * DAY_MS) / spanMs;
}

/** Days until the disk is full, if all goes on so; undefined where that cannot be told, and where nothing grows. */
export function daysLeft({ freeBytes, growthBytesPerDay }: DiskUse): number | undefined {
  if (freeBytes === undefined || !growthBytesPerDay) return undefined;
  return Number(freeBytes) / growthBytesPerDay;
}
