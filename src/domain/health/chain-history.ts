import { unpackBlocks, type PackedBlocks } from '../blocks/block-facts.js';
import { toPrintable } from '../printable-text.js';
import type { Millis } from '../time.js';
import type { HealthThresholds } from './health-thresholds.js';
import { WRITTEN_WITHIN_MS } from './unwatched.js';

interface ChainHistory {
  readonly lineage: number;
  /** The lowest block on record from the node. The hash is null if it cannot be computed. */
  readonly first: FirstBlock;
}

/** A block's height, in decimal, and the hash of its header, in hex. */
export interface FirstBlock {
  readonly height: string;
  readonly hash: string | null;
}

export interface NodeHistory extends ChainHistory {
  readonly node: string;
  readonly chain: string;
  /** The latest poll of the node's blocks; null while its blocks cannot be polled. */
  readonly shownAt: Millis | null;
}

/** The history that a node showed before it switched to another one, and when it switched. */
export interface ReplacedHistory extends ChainHistory {
  readonly at: Millis;
}

/** Other nodes of the chain that show another history at the same time: ids, in order. */
export interface OtherHistory extends ChainHistory {
  readonly nodes: readonly string[];
  readonly since: Millis;
}

/** The facts of a node's blocks about its history. */
interface HistoryFacts {
  readonly chain: string | null;
  readonly lineage: number | null;
  readonly first: FirstBlock | null;
  readonly recordedTo: string | null;
  readonly lookedAt: Millis | null;
  readonly replaced: ReplacedHistory | null;
  readonly otherHistory: OtherHistory | null;
}

/** How long a replaced history counts as trouble. It remains replaced for good. */
export const REPLACED_FOR_MS: Millis = 3_600_000;

/** The lowest block on record of a history, after blocks of it were recorded. */
export function lowestBlock(known: FirstBlock | null, body: PackedBlocks): FirstBlock {
  if (known !== null && BigInt(known.height) <= BigInt(body.from)) return known;
  return { height: body.from, hash: hashOfFirst(body) };
}

function hashOfFirst(body: PackedBlocks): string | null {
  try {
    return unpackBlocks({ ...body, count: 1 })[0]?.hash ?? null;
  } catch {
    // Health needs only the heights of damaged blocks.
    return null;
  }
}

/**
 * The history that blocks of another one replace; null if they replace none. Blocks that follow the recorded ones continue them:
 * a node that is read from its beginning first shows the part that two histories share.
 *
 * @param facts before these blocks
 * @param others the other nodes of the chain, including those that are no longer monitored
 */
export function findReplaced(
  facts: HistoryFacts,
  body: PackedBlocks & { readonly chain: string; readonly lineage: number },
  others: readonly NodeHistory[],
  at: Millis,
): ReplacedHistory | null {
  if (facts.chain === null) {
    const ofChain = others.filter(({ chain }) => chain === body.chain);
    const older = ofChain.filter(({ lineage }) => lineage < body.lineage);
    const latest = older.toSorted((a, b) => b.lineage - a.lineage)[0];
    const isKnown = ofChain.some(({ lineage }) => lineage === body.lineage);
    return latest === undefined || isKnown ? null : { lineage: latest.lineage, first: latest.first, at };
  }
  const { lineage, first, recordedTo } = facts;
  if (facts.chain !== body.chain || lineage === null || first === null) return null;
  const isContinued = body.lineage > lineage && BigInt(body.from) > BigInt(recordedTo ?? '-1');
  return isContinued ? facts.replaced : { lineage, first, at };
}

/**
 * Other nodes of the chain that show another history than this one at the same time; null if none does.
 *
 * @param at when that is known
 */
export function findOtherHistory(
  { chain, lineage, lookedAt, otherHistory: known }: HistoryFacts,
  others: readonly NodeHistory[],
  at: Millis,
  { notWatchedAfterMs }: HealthThresholds,
): OtherHistory | null {
  if (chain === null || lookedAt === null) return null;
  const isNow = ({ shownAt }: NodeHistory): boolean =>
    shownAt !== null && Math.abs(shownAt - lookedAt) <= WRITTEN_WITHIN_MS + notWatchedAfterMs;
  const different = others
    .filter((other) => other.chain === chain && other.lineage !== lineage && isNow(other))
    .toSorted((a, b) => a.lineage - b.lineage || (a.node < b.node ? -1 : 1));
  const [one] = different;
  if (one === undefined) return null;
  const nodes = different.filter((other) => other.lineage === one.lineage).map(({ node }) => node);
  const { first } = one;
  const isKnown = known !== null && known.lineage === one.lineage;
  if (isKnown && isSameBlock(known.first, first) && known.nodes.join() === nodes.join()) return known;
  return { lineage: one.lineage, first, nodes, since: isKnown ? known.since : at };
}

/** The text for a chain that began again, or shows other blocks than before. */
export function replacedText({ chain, lineage, first, replaced }: HistoryFacts): string {
  if (replaced === null || first === null) return '';
  const [now, before] = [nameOf(chain, lineage), nameOf(chain, replaced.lineage)];
  const name = toPrintable(chain ?? '?');
  const { from, hashes } = compareFirst(first, replaced.first);
  const kept = 'Hindsight keeps both histories.';
  if (hashes === null)
    return `Chain ${name} shows other blocks than before${from}: history ${now}, ${before} before. ${kept}`;
  const [own, other] = hashes;
  return `Chain ${name} began again: block ${first.height} is now ${own} (history ${now}), and was ${other} before (${before}). ${kept}`;
}

/** The text for nodes of a chain that show different histories. */
export function differText({ chain, lineage, first, otherHistory }: HistoryFacts): string {
  if (otherHistory === null || first === null) return '';
  const nodes = otherHistory.nodes.map((node) => toPrintable(node));
  const more = nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : '';
  const others = `${nodes.slice(0, NAMED).join(', ')}${more} ${nodes.length > 1 ? 'show' : 'shows'}`;
  const [here, there] = (lineage ?? 0) > otherHistory.lineage ? ['newer', 'older'] : ['older', 'newer'];
  const { from, hashes } = compareFirst(first, otherHistory.first);
  return (
    `Nodes of chain ${toPrintable(chain ?? '?')} show different blocks${from}. ` +
    `This node shows the ${here} history (${nameOf(chain, lineage)}), ${others} the ${there} one (${nameOf(chain, otherHistory.lineage)}).` +
    (hashes === null ? '' : ` Block ${first.height} is ${hashes[0]} here and ${hashes[1]} there.`)
  );
}

/** The block from which two histories differ, for people, and the hashes of that block if both are on record. */
function compareFirst(
  own: FirstBlock,
  other: FirstBlock,
): { readonly from: string; readonly hashes: readonly [string, string] | null } {
  // The records of both may begin with blocks that they share.
  const isShared = own.height === other.height && own.hash === other.hash;
  if (isShared) return { from: '', hashes: null };
  const from = BigInt(own.height) > BigInt(other.height) ? own.height : other.height;
  const [ours, theirs] = [own.hash ?? UNKNOWN_HASH, other.hash ?? UNKNOWN_HASH];
  return { from: ` from block ${from} on`, hashes: own.height === other.height ? [ours, theirs] : null };
}

const UNKNOWN_HASH = 'a block of unknown hash';

const NAMED = 3;

function isSameBlock(a: FirstBlock, b: FirstBlock): boolean {
  return a.height === b.height && a.hash === b.hash;
}

function nameOf(chain: string | null, lineage: number | null): string {
  return `${toPrintable(chain ?? '?')}/${lineage ?? '?'}`;
}
