import { LARGEST_COUNT } from '../bounds.js';
import type { Millis } from '../time.js';

export interface BatchingPolicy {
  /**
   * A batch closes with its n-th block, or at each whole multiple of this many milliseconds since 1970, by the clock of the
   * blocks. It then holds the blocks from one multiple up to, but not including, the next.
   */
  readonly every: { readonly blocks: number } | { readonly ms: Millis };
  /** Whether headers and data of a batch go out in one submission (of two namespaces), or each in their own. */
  readonly joined: boolean;
  /** Most bytes of a submission; a larger batch is split. */
  readonly maxBytes: number;
  /** Milliseconds assumed from the close of a batch to its inclusion in a DA block. */
  readonly submissionMs: Millis;
}

/** ev-node's own limit (pkg/blobsize): 5 MiB. */
export const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;
/** The blocks of a batch stay in memory until it closes. */
const MOST_BLOCKS = 100_000;

/** A sentence on what is wrong with a policy; undefined if nothing is. */
export function policyFault({ every, maxBytes, submissionMs }: BatchingPolicy): string | undefined {
  if ('blocks' in every && !isWithin(every.blocks, 1, MOST_BLOCKS)) {
    return `A batch of ${every.blocks} blocks is not possible: it has from 1 to ${MOST_BLOCKS}.`;
  }
  if ('ms' in every && !isWithin(every.ms, 1, LARGEST_COUNT)) {
    return `A batch cannot close every ${every.ms} ms: the interval is a whole number from 1 to ${LARGEST_COUNT}.`;
  }
  if (!isWithin(maxBytes, 1, LARGEST_COUNT)) {
    return `A submission of at most ${maxBytes} bytes is not possible: the limit is from 1 to ${LARGEST_COUNT}.`;
  }
  if (!isWithin(submissionMs, 0, LARGEST_COUNT)) {
    return `A submission cannot take ${submissionMs} ms: the time is a whole number from 0 to ${LARGEST_COUNT}.`;
  }
  return undefined;
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
