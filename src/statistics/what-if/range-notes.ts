import { formatTime, millisToNanos, type Nanos } from '../../domain/time.js';
import type { RangeFigures } from './range-count.js';

/** A shorter time at an end of a range is the wait for a block, not a gap. */
const NOTEWORTHY_NS: Nanos = millisToNanos(60_000);

/**
 * Describes in sentences the parts of a range that the record does not cover.
 * @param extent times of the chain's first and last recorded block; null if no block is recorded
 */
export function noteGaps(
  { fromNs, toNs }: { readonly fromNs: Nanos; readonly toNs: Nanos },
  { blocks, blocksMissing, blocksNotIncluded }: RangeFigures,
  extent: { readonly firstNs: Nanos; readonly lastNs: Nanos } | null,
): string[] {
  if (extent === null) return ['No block of this chain is recorded.'];
  const { firstNs, lastNs } = extent;
  if (blocks === 0) {
    return [`No block of this range is recorded; the record covers ${toText(firstNs)} to ${toText(lastNs)}.`];
  }
  const notes: string[] = [];
  if (firstNs - fromNs > NOTEWORTHY_NS) {
    notes.push(`The record begins at ${toText(firstNs)}: nothing is known about the range before.`);
  }
  if (toNs - lastNs > NOTEWORTHY_NS) {
    notes.push(`The record ends at ${toText(lastNs)}: nothing is known about the range after.`);
  }
  if (blocksMissing > 0n) {
    notes.push(`${blocksMissing} blocks in between were never observed, and are not in the figures.`);
  }
  if (blocksNotIncluded > 0) {
    notes.push(
      `${blocksNotIncluded} blocks are not known to be included yet: the figures of the policies include them, but the recorded figures do not.`,
    );
  }
  return notes;
}

function toText(ns: Nanos): string {
  return formatTime(ns, 3);
}
