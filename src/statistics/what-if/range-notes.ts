import type { RangeFigures } from './range-count.js';

const NS_PER_MS = 1_000_000n;
/** Less than this at an end of a range is the wait for a block, not a hole. */
const NOTEWORTHY_NS = 60_000n * NS_PER_MS;

/**
 * Says in sentences which part of a range the record does not cover.
 * @param extent times of the chain's first and last recorded block, Unix nanoseconds; null: none is recorded
 */
export function noteGaps(
  { fromNs, toNs }: { readonly fromNs: bigint; readonly toNs: bigint },
  { blocks, blocksMissing, blocksNotIncluded }: RangeFigures,
  extent: { readonly firstNs: bigint; readonly lastNs: bigint } | null,
): string[] {
  if (extent === null) return ['No block of this chain is recorded.'];
  const { firstNs, lastNs } = extent;
  if (blocks === 0) {
    return [
      `No block of this range is recorded; the record reaches from ${toText(firstNs)} to ${toText(lastNs)}.`,
    ];
  }
  const notes: string[] = [];
  if (firstNs - fromNs > NOTEWORTHY_NS) {
    notes.push(`The record begins at ${toText(firstNs)}: nothing is known of the range before that.`);
  }
  if (toNs - lastNs > NOTEWORTHY_NS) {
    notes.push(`The record ends at ${toText(lastNs)}: nothing is known of the range after that.`);
  }
  if (blocksMissing > 0n) {
    notes.push(`${blocksMissing} blocks in between were never seen, and are not in the figures.`);
  }
  if (blocksNotIncluded > 0) {
    notes.push(
      `${blocksNotIncluded} blocks are not known to be included yet: they are in the figures of the policies, but not in what was recorded.`,
    );
  }
  return notes;
}

function toText(ns: bigint): string {
  return new Date(Number(ns / NS_PER_MS)).toISOString();
}
