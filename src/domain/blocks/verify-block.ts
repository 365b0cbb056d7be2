import type { CheckResults, BlockRecord } from './block.js';
import { isPair, type BlockDraft, type PreviousBlock } from './block-draft.js';

/** Checks that have ever passed on a chain. A check that never passed belongs to an unknown scheme. */
export interface ProvenChecks {
  readonly link: boolean;
  readonly signature: boolean;
  readonly proposer: boolean;
  readonly data: boolean;
  /** Whether a `lastDataHash` was ever correct. */
  readonly lastData: boolean;
}

/** State before a run of blocks is checked. */
export interface VerifyContext {
  /** The block that was verified before the first of these, if it is its parent; else null. */
  readonly previous: PreviousBlock | null;
  readonly proven: ProvenChecks;
  /** Head of the node's P2P header store: a second witness for one block's hash. */
  readonly storeHead?: { readonly height: bigint; readonly hash: string };
}

export interface VerifiedBlocks {
  /** In the order of the input. */
  readonly blocks: readonly BlockRecord[];
  /** Results of these blocks for the block before them (its `hash`, rarely its `data`); null if there are none. */
  readonly late: Partial<CheckResults> | null;
  readonly previous: PreviousBlock | null;
  readonly proven: ProvenChecks;
}

/** The state before the first block of a chain. */
export const NOTHING_PROVEN: ProvenChecks = {
  link: false,
  signature: false,
  proposer: false,
  data: false,
  lastData: false,
};

/**
 * Checks blocks, lowest height first, against themselves and their neighbours. The node is not trusted.
 *
 * Signature, proposer and the block's own data are decided from the block alone. If the hash of a block N is not
 * the `lastHeaderHash` of N+1, one of the two is not what the chain agreed on.
 *
 * | N          | N+1        | `hash` of N | `link` of N+1 |                                             |
 * |------------|------------|-------------|---------------|---------------------------------------------|
 * | proven     | proven     | NOT_CHECKED | FAILED        | both are authentic: the chain breaks here   |
 * | proven     | not proven | NOT_CHECKED | FAILED        |                                             |
 * | not proven | proven     | FAILED      | NOT_CHECKED   |                                             |
 * | bad        | unknown    | FAILED      | NOT_CHECKED   |                                             |
 * | unknown    | bad        | NOT_CHECKED | FAILED        |                                             |
 * | bad        | bad        | FAILED      | FAILED        | undecidable                                 |
 * | unknown    | unknown    | FAILED      | FAILED        | undecidable                                 |
 *
 * Proven: its signature passed, or another witness names its hash (the P2P store's head; for N+1 also N+2). Bad: its
 * signature failed. Unknown: signed by an unknown scheme. If the two hashes are equal, both checks have passed, since no
 * damage makes two hashes equal. A wrong `lastDataHash` of N is blamed on the block before N if that block's data fails
 * anyway, or if that block was never confirmed itself and N+1 confirms N. Otherwise it is blamed on N.
 *
 * A check that fails from the first block on is NOT_CHECKED; a check that fails after others passed is FAILED.
 */
export function verifyBlocks(blocks: readonly BlockDraft[], context: VerifyContext): VerifiedBlocks {
  const drafts = blocks.map((block) => ({ ...block, checks: { ...block.checks } }));
  const before = context.previous && { ...context.previous, checks: { ...context.previous.checks } };
  const pairs = pairsOf(before, drafts);
  const proven = addProven(context.proven, drafts, pairs);
  forgiveUnknownSchemes(drafts, proven);
  if (context.storeHead) applyStoreHead(drafts, context.storeHead);
  for (const pair of pairs) {
    compareData(pair, proven);
    compareHeaders(pair, proven);
  }
  return {
    blocks: drafts.map((draft) => toRecord(draft, proven)),
    late: before && context.previous ? differenceOf(context.previous.checks, before.checks) : null,
    previous: rememberLast(drafts) ?? context.previous,
    proven,
  };
}

/** Two neighbours, and the block after them if it is known. */
interface Pair {
  readonly earlier: Settling<PreviousBlock>;
  readonly later: Settling<BlockDraft>;
  readonly next: Settling<BlockDraft> | undefined;
}
type Settling<T extends PreviousBlock> = Omit<T, 'checks' | 'dataConfirmed'> & {
  readonly checks: Mutable<CheckResults>;
  dataConfirmed: boolean;
};
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function pairsOf(before: Settling<PreviousBlock> | null, drafts: readonly Settling<BlockDraft>[]): Pair[] {
  const pairs: Pair[] = [];
  for (const [index, later] of drafts.entries()) {
    const earlier = drafts[index - 1] ?? before;
    const next = drafts[index + 1];
    if (earlier && isPair(earlier, later)) {
      pairs.push({ earlier, later, next: next && isPair(later, next) ? next : undefined });
    }
  }
  return pairs;
}

function toRecord({ hash, checks, content }: Settling<BlockDraft>, proven: ProvenChecks): BlockRecord {
  const isKnown = hash !== null && (proven.link || proven.signature);
  if (isKnown) return { ...content, hash, checks };
  return { ...content, headerBlobBytes: null, dataBlobBytes: null, hash: null, checks };
}

function rememberLast(drafts: readonly Settling<BlockDraft>[]): PreviousBlock | undefined {
  const last = drafts.at(-1);
  if (!last) return undefined;
  const { height, hash, dataDigest, dataConfirmed, checks } = last;
  return { height, hash, dataDigest, dataConfirmed, checks: { ...checks } };
}

function addProven(
  known: ProvenChecks,
  drafts: readonly Settling<BlockDraft>[],
  pairs: readonly Pair[],
): ProvenChecks {
  const passed = (check: 'signature' | 'proposer' | 'data'): boolean =>
    known[check] || drafts.some(({ checks }) => checks[check] === 'PASSED');
  return {
    link: known.link || pairs.some(({ earlier, later }) => earlier.hash === linkOf(later)),
    signature: passed('signature'),
    proposer: passed('proposer'),
    data: passed('data'),
    lastData: known.lastData || pairs.some((pair) => isDataLinked(pair)),
  };
}

function isDataLinked({ earlier, later }: Pair): boolean {
  return earlier.dataDigest !== null && earlier.dataDigest === later.lastDataHash;
}

function forgiveUnknownSchemes(drafts: readonly Settling<BlockDraft>[], proven: ProvenChecks): void {
  for (const { checks } of drafts) {
    for (const check of ['signature', 'proposer', 'data'] as const) {
      if (!proven[check]) checks[check] = 'NOT_CHECKED';
    }
  }
}

function applyStoreHead(
  drafts: readonly Settling<BlockDraft>[],
  head: NonNullable<VerifyContext['storeHead']>,
): void {
  const draft = drafts.find(({ height }) => height === head.height);
  if (draft?.hash === head.hash) draft.checks.hash = 'PASSED';
  else if (draft?.hash && draft.checks.signature === 'FAILED') draft.checks.hash = 'FAILED';
}

function compareHeaders({ earlier, later, next }: Pair, proven: ProvenChecks): void {
  if (earlier.hash === null || linkOf(later) === '') return;
  if (earlier.hash === linkOf(later)) {
    earlier.checks.hash = 'PASSED';
    later.checks.link = 'PASSED';
    return;
  }
  if (!proven.link) return;
  const isEarlierProven = earlier.checks.signature === 'PASSED' || earlier.checks.hash === 'PASSED';
  const isLaterProven =
    later.checks.signature === 'PASSED' ||
    later.checks.hash === 'PASSED' ||
    (later.hash !== null && linkOf(next) === later.hash);
  const isEarlierBad = earlier.checks.signature === 'FAILED';
  const isLaterBad = later.checks.signature === 'FAILED';
  const isOneProven = isEarlierProven || isLaterProven;
  if (isOneProven ? !isEarlierProven : isEarlierBad || !isLaterBad) earlier.checks.hash = 'FAILED';
  if (isOneProven ? isEarlierProven : isLaterBad || !isEarlierBad) later.checks.link = 'FAILED';
}

function compareData(pair: Pair, proven: ProvenChecks): void {
  const { earlier, later, next } = pair;
  if (earlier.dataDigest === null || later.lastDataHash === null) return;
  if (isDataLinked(pair)) {
    earlier.dataConfirmed = true;
    later.dataConfirmed = true;
    return;
  }
  if (!proven.lastData || earlier.checks.data === 'FAILED') return;
  const isLaterConfirmed = later.dataDigest !== null && next?.lastDataHash === later.dataDigest;
  const blamed = !earlier.dataConfirmed && isLaterConfirmed ? earlier : later;
  blamed.checks.data = 'FAILED';
}

function differenceOf(before: CheckResults, after: CheckResults): Partial<CheckResults> | null {
  const changed: Partial<Mutable<CheckResults>> = {};
  for (const check of ['hash', 'data'] as const) {
    if (before[check] !== after[check]) changed[check] = after[check];
  }
  return Object.keys(changed).length > 0 ? changed : null;
}

/** The parent hash that a block names. */
function linkOf(block: Settling<BlockDraft> | undefined): string | undefined {
  return block?.content.header.lastHeaderHash;
}
