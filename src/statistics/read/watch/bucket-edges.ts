import type { Micros } from '../../../domain/time.js';

/** The buckets of a report, and the part of them that it is about. */
export interface BucketRange {
  /** Start of each bucket, ascending; each ends where the next one begins. */
  readonly bucketStarts: readonly Micros[];
  /** End of the last one. */
  readonly endUs: Micros;
  readonly fromUs: Micros;
  /** Excluded. */
  readonly toUs: Micros;
  /** Nothing is known of what comes after it. */
  readonly nowUs: Micros;
}

/**
 * Where the buckets begin, and where the last one ends, cut to the range and to now. They ascend, and are equal where
 * nothing of a bucket is left. Undefined where nothing is left of any.
 */
export function bucketEdges({ bucketStarts, endUs, fromUs, toUs, nowUs }: BucketRange): Micros[] | undefined {
  const end = toUs < nowUs ? toUs : nowUs;
  const edges = [...bucketStarts, endUs].map((at) => (at < fromUs ? fromUs : at > end ? end : at));
  const first = edges[0];
  const last = edges.at(-1);
  return first !== undefined && last !== undefined && first < last ? edges : undefined;
}
