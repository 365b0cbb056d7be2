import { column } from '../../../platform/unnest-rows.js';

/** The buckets of a report, and the part of them that it is about. Unix microseconds. */
export interface BucketRange {
  /** Start of each bucket, ascending; each ends where the next one begins. */
  readonly bucketStarts: readonly bigint[];
  /** End of the last one. */
  readonly endUs: bigint;
  readonly fromUs: bigint;
  /** Excluded. */
  readonly toUs: bigint;
  /** Nothing is known of what comes after it. */
  readonly nowUs: bigint;
}

/**
 * Where the buckets begin, and where the last one ends, cut to the range and to now: ascending, with equal ones where
 * nothing of a bucket is left. Undefined where nothing is left of any.
 */
export function bucketEdges({ bucketStarts, endUs, fromUs, toUs, nowUs }: BucketRange): bigint[] | undefined {
  const end = toUs < nowUs ? toUs : nowUs;
  const edges = [...bucketStarts, endUs].map((at) => (at < fromUs ? fromUs : at > end ? end : at));
  const first = edges[0];
  const last = edges.at(-1);
  return first !== undefined && last !== undefined && first < last ? edges : undefined;
}

const EDGE = column('at', 'timestamptz', (at: bigint) => at);

/** The edges as a parameter of type `timestamptz[]`. */
export function edgesParameter(edges: readonly bigint[]): Buffer {
  return EDGE.encode(edges);
}
