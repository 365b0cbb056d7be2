import { addDebt } from '../../domain/blocks/block-debts.js';
import type { BlockDraft } from '../../domain/blocks/block-draft.js';
import { hashPrefix } from '../../domain/blocks/block-locator.js';
import type { NewEvent } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Refused } from '../../node-api/answer.js';
import type { Clock } from '../../platform/clock.js';
import { isRefused, type BlockFetcher } from './block-fetcher.js';
import { afterGap, findLineage, newLineage, type BlocksState, type LineageState } from './blocks-state.js';
import { ChainBoard, ChainLineages, type Departure } from './chain-lineages.js';
import type { ChainHead, ChainHeadFinder } from './chain-head.js';
import { findForkPoint, type ForkPoint, type HashAt } from './fork-point.js';
import type { ObservedNode } from '../subject-observer.js';

/** The lineage to continue with, and the events to record about the change. */
export interface LineageChange {
  readonly known: LineageState;
  readonly events: readonly NewEvent[];
}

/** Finds out which chain, and which lineage of it, a node shows, at first contact and when the node switches. */
export class LineageTracker {
  private readonly lineages: ChainLineages;
  private readonly board: ChainBoard;
  private readonly stream: string;
  /** A head below the recorded one that was checked and is on the same chain. */
  private behindAt: string | undefined;

  constructor(
    private readonly parts: {
      readonly node: ObservedNode;
      readonly store: EventStore;
      readonly clock: Clock;
    },
    private readonly fetcher: BlockFetcher,
    private readonly heads: ChainHeadFinder,
  ) {
    const { node, store, clock } = parts;
    this.board = ChainBoard.of(store);
    this.lineages = new ChainLineages(store, clock, this.board, node.id);
    this.stream = `${node.id}/blocks`;
  }

  /** Lets the chain's other nodes compare themselves with this one. */
  post({ chain, lineage, locator }: LineageState): void {
    this.board.post({ node: this.parts.node.id, stream: this.stream, chain, lineage, locator });
  }

  /** First contact with a chain: where to begin, and in which lineage. Null while the node has no block to begin with. */
  async begin(head: ChainHead, signal: AbortSignal): Promise<LineageChange | null> {
    const { backfillFrom, chain: configured } = this.parts.node;
    const initial = head.initialHeight === null || head.initialHeight === 0n ? 1n : head.initialHeight;
    const wanted = typeof backfillFrom === 'bigint' && backfillFrom > initial ? backfillFrom : initial;
    if (wanted > head.height) return null;
    let from = wanted;
    let first = await this.fetcher.fetchOne(from, signal);
    if (isRefused(first) && first.missing) {
      const oldest = await this.heads.findNext(wanted, head.height, signal);
      if (oldest === null) return null;
      from = oldest;
      first = await this.fetcher.fetchOne(from, signal);
    }
    const isReadable = !isRefused(first);
    if (!isReadable && !(await this.heads.gives(head.height, signal))) return null;
    const chain = (isReadable ? authenticChain(first as BlockDraft, null) : head.chainId) ?? configured;
    if (chain === undefined) return null;
    const hash = isReadable ? (first as BlockDraft).hash : null;
    const hashAt = this.hashAt(chain, false, signal);
    const joined = await this.lineages.join(chain, { from, height: from, hash, notThese: [] }, hashAt);
    const known = newLineage(chain, joined.below ?? joined.lineage, from);
    const turned =
      joined.below === null ? known : { ...known, leaves: { at: String(joined.from), to: joined.lineage } };
    if (from === wanted) return { known: turned, events: [] };
    const debts = addDebt([], [wanted, from - 1n], this.parts.clock.now());
    return { known: { ...turned, debts }, events: [this.pruned(known, wanted, from - 1n)] };
  }

  /** Checks a head below the recorded one. Returns null if the node only lags, and the fork if it shows another lineage. */
  async checkBehind(known: LineageState, head: bigint, signal: AbortSignal): Promise<ForkPoint | null> {
    if (head + 1n >= BigInt(known.next)) {
      this.behindAt = undefined;
      return null;
    }
    const at = String(head);
    if (at === this.behindAt) return null;
    const fork = await this.findFork(known, signal, head);
    if (fork === null) this.behindAt = at;
    return fork ?? null;
  }

  /** Where the node leaves its recorded blocks; null where it does not, undefined where they cannot be compared now. */
  findFork(known: LineageState, signal: AbortSignal, upTo?: bigint): Promise<ForkPoint | null | undefined> {
    const { chain, lineage } = known;
    const recorded = { stream: this.stream, chain, lineage, locator: known.locator };
    return findForkPoint(
      recorded,
      this.parts.store,
      this.hashAt(known.chain, known.proven.signature, signal),
      upTo,
    );
  }

  /** Where the node differs from the other nodes of its chain; null where it agrees. */
  compareWithSiblings(known: LineageState, signal: AbortSignal): Promise<ForkPoint | null> {
    const hashAt = this.hashAt(known.chain, known.proven.signature, signal);
    return this.lineages.compareWithSiblings(known.chain, known.lineage, hashAt);
  }

  /** Continues in another lineage: a matching one, known or not, else a new one. */
  async leave(
    state: BlocksState | undefined,
    known: LineageState,
    fork: Omit<Departure, 'notThese'>,
    signal: AbortSignal,
  ): Promise<LineageState> {
    const departure: Departure = { ...fork, notThese: [known.lineage] };
    const hashAt = this.hashAt(known.chain, known.proven.signature, signal);
    const { lineage, from } = await this.lineages.join(known.chain, departure, hashAt);
    this.behindAt = undefined;
    const before = findLineage(state, { chain: known.chain, lineage });
    return before ?? { ...newLineage(known.chain, lineage, from), proven: known.proven };
  }

  /**
   * Skips heights that the node does not give, if it gives later ones. Returns null where it gives no later one: the node
   * or its proxy is down, and the next height is waited for. Also returns null where the node gives the next height by now.
   */
  async skip(
    known: LineageState,
    head: bigint,
    refusal: Refused,
    signal: AbortSignal,
  ): Promise<LineageChange | null> {
    const next = BigInt(known.next);
    const found = next < head ? await this.heads.findNext(next, head, signal) : null;
    if (found === null || (await this.heads.gives(next, signal)) || signal.aborted) return null;
    const event = refusal.missing
      ? this.pruned(known, next, found - 1n)
      : this.unreadable(known, found - 1n, refusal);
    return { known: afterGap(known, found, this.parts.clock.now()), events: [event] };
  }

  /** Whether the node still shows the newest recorded block. */
  async isOnRecord(known: LineageState, signal: AbortSignal): Promise<boolean> {
    const [height, hash] = known.locator.at(-1) ?? [];
    if (height === undefined) return true;
    const shown = await this.hashAt(known.chain, known.proven.signature, signal)(BigInt(height));
    return shown !== undefined && hashPrefix(shown) === hash;
  }

  private unreadable({ chain, lineage, next }: LineageState, to: bigint, refusal: Refused): NewEvent {
    const { detail, evidence } = refusal;
    const body = {
      chain,
      lineage,
      height: next,
      ...(String(to) !== next && { to: String(to) }),
      detail,
      ...(evidence !== undefined && { evidence }),
    };
    return { type: 'BlockUnreadable', observedAt: this.parts.clock.now(), body };
  }

  pruned({ chain, lineage }: LineageState, from: bigint, to: bigint): NewEvent {
    const body = { chain, lineage, from: String(from), to: String(to) };
    return { type: 'BlocksPruned', observedAt: this.parts.clock.now(), body };
  }

  /**
   * Header hashes of the chain as the node shows them now. The hash of a missing block is taken from the block after it.
   * Answers about another chain, as from an address with two nodes behind it, are ignored.
   */
  private hashAt(chain: string, isSignatureKnown: boolean, signal: AbortSignal): HashAt {
    const tellsNothing = (block: BlockDraft): boolean =>
      (isSignatureKnown && block.checks.signature === 'FAILED') || authenticChain(block, chain) !== chain;
    return async (height) => {
      const block = await this.fetcher.fetchOne(height, signal);
      if (!isRefused(block)) return tellsNothing(block) ? undefined : (block.hash ?? undefined);
      if (!block.missing) return undefined;
      const child = await this.fetcher.fetchOne(height + 1n, signal);
      if (isRefused(child) || tellsNothing(child)) return undefined;
      return child.content.header.lastHeaderHash || undefined;
    };
  }
}

/**
 * The chain that a block claims, if the claim is credible; otherwise `fallback`. A damaged chain id does not make it a
 * block of another chain.
 */
export function authenticChain({ checks, content }: BlockDraft, fallback: string | null): string | null {
  const { chainId } = content.header;
  const isBelieved = checks.signature === 'PASSED' || checks.data === 'PASSED' || fallback === null;
  return isBelieved && chainId !== '' ? chainId : fallback;
}
