import { unpackBlocks } from '../domain/block-facts.js';
import { markHash, type BlockMark } from '../domain/block-marks.js';
import type { EventStore } from '../event-log/event-store.js';

/** Header hash of the node's block at a height; undefined where it has none to compare. */
export type HashAt = (height: bigint) => Promise<string | undefined>;

/** Blocks that a node is compared with: what is recorded of a lineage in a stream `<node>/blocks`. */
export interface RecordedChain {
  readonly stream: string;
  readonly chain: string;
  readonly lineage: number;
  readonly marks: readonly BlockMark[];
}

/** Where a node leaves recorded blocks. */
export interface ForkPoint {
  /** The first height that is not known to be equal. */
  readonly from: bigint;
  /** The lowest height that is known to differ, and the node's hash there. */
  readonly height: bigint;
  readonly hash: string;
}

/** Events that are read back to find the exact height. A fork that lies further back is known to within its marks. */
const EVENTS_READ = 32;

/** Compares a node with recorded blocks: where they part, `null` if they are equal, undefined if nothing can be told. */
export async function findForkPoint(
  recorded: RecordedChain,
  store: EventStore,
  hashAt: HashAt,
): Promise<ForkPoint | null | undefined> {
  const coarse = await compareMarks(recorded.marks, hashAt);
  if (!coarse || coarse.from === coarse.height) return coarse;
  return refine(recorded, coarse, store, hashAt);
}

/** Two chains that part do not meet again, so the first mark that differs is found by bisection. */
async function compareMarks(
  marks: readonly BlockMark[],
  hashAt: HashAt,
): Promise<ForkPoint | null | undefined> {
  let high = marks.length - 1;
  let shown: string | undefined;
  while (high >= 0) {
    shown = await hashAt(heightOf(marks, high));
    if (shown !== undefined) break;
    high--;
  }
  if (shown === undefined) return undefined;
  if (markHash(shown) === marks[high]?.[1]) return null;
  let low = -1;
  let hash = shown;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const other = await hashAt(heightOf(marks, middle));
    if (other !== undefined && markHash(other) !== marks[middle]?.[1]) {
      high = middle;
      hash = other;
    } else {
      low = middle;
    }
  }
  const height = heightOf(marks, high);
  return { from: low < 0 ? height : heightOf(marks, low) + 1n, height, hash };
}

async function refine(
  recorded: RecordedChain,
  coarse: ForkPoint,
  store: EventStore,
  hashAt: HashAt,
): Promise<ForkPoint> {
  const hashes = await readHashes(recorded, coarse, store);
  const heights = [...hashes.keys()].sort((a, b) => (a < b ? -1 : 1));
  let { from, height, hash } = coarse;
  let low = 0;
  let high = heights.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = heights[middle] as bigint;
    const shown = await hashAt(at);
    if (shown !== undefined && shown !== hashes.get(at)) {
      height = at;
      hash = shown;
      high = middle;
    } else {
      from = at + 1n;
      low = middle + 1;
    }
  }
  return { from, height, hash };
}

async function readHashes(
  { stream, chain, lineage }: RecordedChain,
  { from, height }: ForkPoint,
  store: EventStore,
): Promise<Map<bigint, string>> {
  const hashes = new Map<bigint, string>();
  for (const { type, body } of await store.readStreamBack(stream, ['BlocksObserved'], EVENTS_READ)) {
    if (type !== 'BlocksObserved' || body.chain !== chain || body.lineage !== lineage) continue;
    if (BigInt(body.to) < from || BigInt(body.from) >= height) continue;
    for (const { header, hash } of unpackBlocks(body)) {
      const isBetween = header.height >= from && header.height < height;
      if (isBetween && hash !== null && !hashes.has(header.height)) hashes.set(header.height, hash);
    }
  }
  return hashes;
}

function heightOf(marks: readonly BlockMark[], index: number): bigint {
  return BigInt(marks[index]?.[0] ?? 0);
}
