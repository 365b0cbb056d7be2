import type { BlockDraft } from '../domain/block-draft.js';
import type { BlockRecord } from '../domain/block.js';
import { heightsFrom, lowestHeight } from '../domain/block-walk.js';
import type { Millis, NewEvent } from '../domain/events.js';
import { packBlocks } from '../domain/pack-blocks.js';
import { verifyBlocks } from '../domain/verify-block.js';
import type { EventStore } from '../event-log/event-store.js';
import type { Refused } from '../node-api/answer.js';
import type { NodeApi } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import { BackfillLog } from './backfill-log.js';
import { BlockFetcher, isRefused, type FetchedRun } from './block-fetcher.js';
import { afterBlocks, afterGap, findLineage, newLineage, previousOf, withLineage } from './blocks-state.js';
import type { BlocksState, LineageState } from './blocks-state.js';
import { ChainHeadFinder, type ChainHead } from './chain-head.js';
import type { Departure } from './chain-lineages.js';
import { InclusionWalk } from './inclusion-walk.js';
import { authenticChain, LineageTracker } from './lineage-tracker.js';
import type { LookBook } from './look-book.js';
import { isWorthWriting, NodeProgressReader } from './node-progress.js';
import { StreamSession } from './stream-session.js';
import type { ObservedNode, SubjectObserver } from './subject-observer.js';

/** Blocks of one event, and of one look. */
const BLOCKS_PER_EVENT = 500n;
const LOOK_MS = 5_000;
const LOOK_WHILE_STALLED_MS = 2_000;
/** After another process was first: it is looking at this node, too. */
const LOST_MS = 1_000;
const COMPARE_MS = 60_000;
/** Looks at which a block must be unreadable before it is skipped. */
const PATIENCE = 3;

/** What a look has found so far. */
interface Round {
  readonly state: BlocksState | undefined;
  readonly head: ChainHead;
  readonly events: NewEvent[];
  known: LineageState;
  progress: BlocksState['progress'];
  /** Whether more is to be had at once. */
  hasMore: boolean;
}

/**
 * Records the blocks of a node: from the first to the head, then the head as it moves, the DA heights of each as they
 * appear, and the node's own progress. One look records at most one event of blocks; while there are more it looks
 * again at once, and the next ones are fetched meanwhile.
 */
export class BlocksObserver implements SubjectObserver {
  readonly subject = 'blocks';
  private readonly session: StreamSession<BlocksState>;
  private readonly fetcher: BlockFetcher;
  private readonly heads: ChainHeadFinder;
  private readonly tracker: LineageTracker;
  private readonly inclusion: InclusionWalk;
  private readonly progress: NodeProgressReader;
  private readonly log: BackfillLog;
  private ahead: { readonly key: string; readonly run: Promise<FetchedRun> } | undefined;
  private failures = { key: '', count: 0 };
  private skippedTo = '';
  private comparedAt: Millis | undefined;
  /** The chain of the last block, where the node does not tell it with its head. */
  private shownChain: string | undefined;

  constructor(
    private readonly parts: {
      readonly node: ObservedNode;
      readonly api: NodeApi;
      readonly store: EventStore;
      readonly clock: Clock;
      readonly book: LookBook;
      readonly logger: Logger;
    },
  ) {
    const { node, api, store, clock, logger } = parts;
    this.session = new StreamSession(store, `${node.id}/blocks`);
    this.fetcher = new BlockFetcher(api, node.record);
    this.heads = new ChainHeadFinder(api, clock);
    this.tracker = new LineageTracker(parts, this.fetcher, this.heads);
    this.inclusion = new InclusionWalk(this.fetcher);
    this.progress = new NodeProgressReader(api);
    this.log = new BackfillLog(logger, clock);
  }

  async look(signal: AbortSignal): Promise<number> {
    const { clock, book } = this.parts;
    const { state, fresh } = await this.session.load();
    if (fresh) this.forget();
    const found = await this.heads.find(BigInt(state?.lineages[0]?.next ?? 1) - 1n, signal);
    if (signal.aborted || !found.ok) return LOOK_MS;
    const { head } = found;
    book.note(clock.now(), head.nodeClock);
    const round = await this.open(state, head, signal);
    if (!round) return LOOK_MS;
    const isTurned = await this.turnIfBehind(round, signal);
    if (!isTurned) {
      await this.recordNew(round, signal);
      if (!round.hasMore) await this.followInclusion(round, signal);
      if (!round.hasMore) await this.compareWithSiblings(round, signal);
      await this.noteProgress(round, signal);
    }
    // What was found before the stop is as true as ever; but an answer cut short is none.
    if (signal.aborted) return LOOK_MS;
    if (!(await this.write(round))) return LOST_MS;
    if (round.hasMore) return 0;
    return this.inclusion.isStalled ? LOOK_WHILE_STALLED_MS : LOOK_MS;
  }

  /** The lineage that the node shows now. */
  private async open(
    state: BlocksState | undefined,
    head: ChainHead,
    signal: AbortSignal,
  ): Promise<Round | undefined> {
    const chain = head.chainId ?? this.shownChain ?? state?.lineages[0]?.chain;
    const known = state?.lineages.find((each) => each.chain === chain);
    const turn = known ? { known, events: [] } : await this.tracker.begin(head, signal);
    if (!turn) return undefined;
    const before = findLineage(state, turn.known);
    const progress = state?.progress ?? null;
    const events = before ? [] : [...turn.events];
    return { state, head, events, known: before ?? turn.known, progress, hasMore: false };
  }

  private async turnIfBehind(round: Round, signal: AbortSignal): Promise<boolean> {
    const fork = await this.tracker.checkBehind(round.known, round.head.height, signal);
    if (fork) await this.leave(round, fork, signal);
    return fork !== null;
  }

  private async leave(round: Round, fork: Omit<Departure, 'notThese'>, signal: AbortSignal): Promise<void> {
    const from = `${round.known.chain}/${round.known.lineage}`;
    round.known = await this.tracker.leave(round.state, round.known, fork, signal);
    round.hasMore = true;
    this.forget();
    const to = `${round.known.chain}/${round.known.lineage}`;
    this.parts.logger.warn(
      { from, to, height: String(fork.height) },
      'the node shows another lineage of its chain',
    );
  }

  private async recordNew(round: Round, signal: AbortSignal): Promise<void> {
    const { leaves } = round.known;
    if (leaves && leaves.at === round.known.next) {
      const { chain, previous, proven } = round.known;
      round.known = { ...newLineage(chain, leaves.to, BigInt(leaves.at)), previous, proven };
    }
    const { drafts, refusal } = await this.fetchNext(round, signal);
    if (signal.aborted) return;
    const foreign = drafts.findIndex(
      (draft) => authenticChain(draft, round.known.chain) !== round.known.chain,
    );
    const own = foreign < 0 ? drafts : drafts.slice(0, foreign);
    if (foreign === 0) this.turnToChain(round, drafts[0] as BlockDraft);
    else if (own.length > 0) await this.recordRun(round, own, signal);
    else if (refusal) await this.readOn(round, refusal, signal);
  }

  /** The next blocks, which may have been asked for already; and those after them in advance. */
  private async fetchNext(round: Round, signal: AbortSignal): Promise<FetchedRun> {
    const { known, head } = round;
    const next = BigInt(known.next);
    const end = known.leaves ? min(head.height, BigInt(known.leaves.at) - 1n) : head.height;
    if (next > end) return { drafts: [], refusal: null };
    const key = `${known.chain}/${known.lineage} ${next}`;
    const inAdvance = this.ahead?.key === key ? this.ahead.run : undefined;
    this.ahead = undefined;
    const run = await (inAdvance ??
      this.fetcher.fetchRun(next, min(end, next + BLOCKS_PER_EVENT - 1n), signal));
    const after = next + BigInt(run.drafts.length);
    round.hasMore = run.refusal === null && after <= head.height;
    if (round.hasMore && after <= end) {
      const last = min(end, after + BLOCKS_PER_EVENT - 1n);
      const ahead = this.fetcher.fetchRun(after, last, signal);
      // Nobody may be left to hear of a failure when the look ends otherwise; who awaits it does hear.
      ahead.catch(() => undefined);
      this.ahead = { key: `${known.chain}/${known.lineage} ${after}`, run: ahead };
    }
    return run;
  }

  private async recordRun(round: Round, drafts: readonly BlockDraft[], signal: AbortSignal): Promise<void> {
    const { known, head } = round;
    const storeHead = this.progress.storeHead;
    const context = { previous: previousOf(known), proven: known.proven, ...(storeHead && { storeHead }) };
    const whole = verifyBlocks(drafts, context);
    const broken = whole.blocks.findIndex(isBroken);
    if (broken === 0) return this.handleBreak(round, whole.blocks[0] as BlockRecord, signal);
    const verified = broken < 0 ? whole : verifyBlocks(drafts.slice(0, broken), context);
    if (broken > 0) round.hasMore = true;
    const to = verified.blocks.at(-1)?.header.height;
    const { chain, lineage } = known;
    const body = {
      chain,
      lineage,
      ...(to !== head.height && { head: String(head.height) }),
      ...packBlocks(verified.blocks, verified.late),
    };
    round.events.push({ type: 'BlocksObserved', observedAt: this.parts.clock.now(), body });
    round.known = afterBlocks(known, verified);
    this.inclusion.noteRecorded(drafts);
    this.log.note(BigInt(round.known.next) - 1n, head.height, drafts.length);
  }

  /** The next block does not continue the last one: the node turned to another history, or its own is broken. */
  private async handleBreak(round: Round, block: BlockRecord, signal: AbortSignal): Promise<void> {
    const { chain, lineage, previous } = round.known;
    const height = block.header.height;
    round.hasMore = false;
    this.ahead = undefined;
    const parent = await this.fetcher.fetchOne(height - 1n, signal);
    if (isRefused(parent) && !parent.missing) return;
    const isParentSame = isRefused(parent) || parent.hash === previous?.hash;
    const fork = isParentSame ? null : await this.tracker.findFork(round.known, signal);
    const shown = isRefused(parent) ? null : parent.hash;
    const departure =
      fork ??
      (isParentSame
        ? { from: height, height, hash: block.hash }
        : { from: height - 1n, height: height - 1n, hash: shown });
    const body = {
      chain,
      lineage,
      height: String(height),
      expected: previous?.hash ?? null,
      found: block.header.lastHeaderHash,
    };
    round.events.push({ type: 'BlockChainBroken', observedAt: this.parts.clock.now(), body });
    await this.leave(round, departure, signal);
  }

  /** The node answers for another chain: what it says belongs there, from the next look on. */
  private turnToChain(round: Round, draft: BlockDraft): void {
    const { chainId } = draft.content.header;
    this.parts.logger.warn({ from: round.known.chain, to: chainId }, 'the node answers for another chain');
    this.shownChain = chainId;
    this.ahead = undefined;
    round.hasMore = false;
  }

  /** The next height can't be had: waits, or skips it where that is known to be for good. */
  private async readOn(round: Round, refusal: Refused, signal: AbortSignal): Promise<void> {
    const { known, head } = round;
    const { chain, lineage, next } = known;
    if (BigInt(next) >= head.height && refusal.missing) return;
    if (refusal.state !== 'MISSING' && refusal.state !== 'INVALID') return;
    const key = `${chain}/${lineage} ${next}`;
    this.failures = { key, count: this.failures.key === key ? this.failures.count + 1 : 1 };
    if (this.failures.count < PATIENCE && this.skippedTo !== key) return;
    if (refusal.missing) {
      const turn = await this.tracker.skipPruned(known, head.height, signal);
      if (!turn) return;
      round.events.push(...turn.events);
      round.known = turn.known;
    } else {
      const { detail, evidence } = refusal;
      const isForGood = refusal.status === 200 || (await this.isHeadReadable(head, next, signal));
      if (!isForGood) return;
      const body = { chain, lineage, height: next, detail, ...(evidence !== undefined && { evidence }) };
      round.events.push({ type: 'BlockUnreadable', observedAt: this.parts.clock.now(), body });
      round.known = afterGap(known, BigInt(next) + 1n);
      this.parts.logger.warn({ height: next, detail }, 'a block cannot be read; skipped');
    }
    this.skippedTo = `${chain}/${lineage} ${round.known.next}`;
    round.hasMore = true;
  }

  /** An error for one block while the newest can be had is that block's, not the node's. */
  private async isHeadReadable(head: ChainHead, next: string, signal: AbortSignal): Promise<boolean> {
    return head.height !== BigInt(next) && !isRefused(await this.fetcher.fetchOne(head.height, signal));
  }

  private async followInclusion(round: Round, signal: AbortSignal): Promise<void> {
    // Blocks of this very look showed what there is.
    const upTo = BigInt(findLineage(round.state, round.known)?.next ?? 0) - 1n;
    const { heights, known, differing } = await this.inclusion.walk(round.known, upTo, signal);
    if (differing !== null) {
      const fork = await this.tracker.findFork(round.known, signal);
      if (fork) return this.leave(round, fork, signal);
    }
    if (heights.length === 0) return;
    const { chain, lineage } = known;
    const body = { chain, lineage, heights };
    round.events.push({ type: 'BlockInclusionObserved', observedAt: this.parts.clock.now(), body });
    round.known = known;
  }

  private async compareWithSiblings(round: Round, signal: AbortSignal): Promise<void> {
    const now = this.parts.clock.now();
    if (this.comparedAt !== undefined && now - this.comparedAt < COMPARE_MS) return;
    this.comparedAt = now;
    const fork = await this.tracker.compareWithSiblings(round.known, signal);
    if (fork) await this.leave(round, fork, signal);
  }

  private async noteProgress(round: Round, signal: AbortSignal): Promise<void> {
    const now = this.parts.clock.now();
    if (round.hasMore && round.progress && now - round.progress.at < COMPARE_MS) return;
    const body = await this.progress.read(round.head, round.known, now, signal);
    if (signal.aborted) return;
    this.giveUpPruned(round, body.oldest);
    if (!isWorthWriting(round.progress, body, now)) return;
    round.events.push({ type: 'NodeProgressObserved', observedAt: now, body });
    round.progress = { at: now, body };
  }

  /** Blocks that the node dropped before it showed them included: it never will. */
  private giveUpPruned(round: Round, oldest: string | null): void {
    const { known, head } = round;
    const lowest = lowestHeight(known.pending);
    if (oldest === null || lowest === null || BigInt(oldest) <= lowest || BigInt(oldest) > head.height)
      return;
    round.known = { ...known, pending: heightsFrom(known.pending, BigInt(oldest)) };
    round.events.push(this.tracker.pruned(known, lowest, BigInt(oldest) - 1n));
  }

  /** @returns false when another process was first */
  private async write(round: Round): Promise<boolean> {
    this.tracker.post(round.known);
    if (round.events.length === 0 && findLineage(round.state, round.known) === round.known) return true;
    const state = { ...withLineage(round.state, round.known), progress: round.progress };
    const { book } = this.parts;
    const carrier = round.events.findIndex(({ type }) => CARRIERS.has(type));
    const looks = carrier < 0 ? undefined : book.take();
    const events = round.events.map((event, index) =>
      index === carrier && looks ? ({ ...event, body: { looks, ...event.body } } as NewEvent) : event,
    );
    let isWon = false;
    try {
      isWon = await this.session.append(events, state);
    } finally {
      if (!isWon) {
        book.giveBack(looks);
        this.ahead = undefined;
      }
    }
    return isWon;
  }

  private forget(): void {
    this.ahead = undefined;
    this.inclusion.reset();
  }
}

/** Events that carry looks. */
const CARRIERS: ReadonlySet<string> = new Set([
  'BlocksObserved',
  'BlockUnreadable',
  'BlockInclusionObserved',
  'NodeProgressObserved',
]);

/** A block that is not damaged itself and does not continue the one before it. */
function isBroken({ checks }: BlockRecord): boolean {
  return checks.link === 'FAILED' && checks.signature !== 'FAILED';
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
