import { dropDebtsBelow } from '../../domain/blocks/block-debts.js';
import { heightsFrom, lowestHeight } from '../../domain/blocks/height-ranges.js';
import type { Millis } from '../../domain/time.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { BlockFetcher } from './block-fetcher.js';
import { BlockRecorder, type BlocksPoll } from './block-recorder.js';
import { findLineage, withLineage, type BlocksState } from './blocks-state.js';
import { DebtCollector } from './debt-collector.js';
import { ChainHeadFinder, type ChainHead } from './chain-head.js';
import { InclusionWalker } from './inclusion-walker.js';
import { LineageTracker } from './lineage-tracker.js';
import { isWorthWriting, NodeProgressReader } from './node-progress.js';
import type { ObservedNode, SeeingObserver } from '../subject-observer.js';
import { carryPolls } from '../poll-book.js';
import { type RecorderParts, SubjectRecorder } from '../subject-recorder.js';

const POLL_EVERY_MS = 5_000;
const POLL_WHILE_STALLED_MS = 2_000;
/** Pause after another process was first: it polls this node, too. */
const LOST_MS = 1_000;
/** How often the node is compared with the other nodes of its chain. */
const COMPARE_MS = 60_000;
const PROGRESS_MS = 60_000;

/**
 * Records the blocks of a node: from the first to the head, then the head as it moves. It also records the DA heights of
 * each block as they appear, and the node's own progress. One poll records at most one event of blocks. While there are
 * more blocks it polls again at once, and the next blocks are already being fetched.
 */
export class BlocksObserver implements SeeingObserver {
  readonly subject = 'blocks';
  hasSeen = false;
  private readonly stream: SubjectRecorder<BlocksState>;
  private readonly heads: ChainHeadFinder;
  private readonly tracker: LineageTracker;
  private readonly inclusion: InclusionWalker;
  private readonly progress: NodeProgressReader;
  private readonly recorder: BlockRecorder;
  private readonly debts: DebtCollector;
  private comparedAt: Millis | undefined;
  /** The minimum pause before the next poll, while the node has used up its share of the day. */
  private pauseMs: Millis = 0;

  constructor(
    private readonly parts: RecorderParts & {
      readonly node: ObservedNode;
      readonly api: NodeApi;
      readonly clock: Clock;
      readonly logger: Logger;
    },
  ) {
    const { node, api, clock } = parts;
    this.stream = new SubjectRecorder('blocks', parts);
    const fetcher = new BlockFetcher(api, node.record);
    this.heads = new ChainHeadFinder(api, clock);
    this.tracker = new LineageTracker(parts, fetcher, this.heads);
    this.inclusion = new InclusionWalker(fetcher);
    this.progress = new NodeProgressReader(api);
    this.recorder = new BlockRecorder(parts, fetcher, this.tracker, this.inclusion);
    this.debts = new DebtCollector(parts, fetcher, this.tracker, this.inclusion);
  }

  async poll(signal: AbortSignal): Promise<Millis> {
    const { clock, book } = this.parts;
    const { state, fresh } = await this.stream.load();
    this.pauseMs = 0;
    if (fresh) this.recorder.forget();
    const found = await this.heads.find(BigInt(state?.lineages[0]?.next ?? 1) - 1n, signal);
    this.hasSeen = found.ok;
    if (signal.aborted || !found.ok) return POLL_EVERY_MS;
    const { value: head } = found;
    const at = clock.now();
    if (!state) book.note(at, head.nodeClock);
    const poll = await this.open(state, head, signal);
    if (!poll) return POLL_EVERY_MS;
    const isTurned = await this.turnIfBehind(poll, signal);
    if (!isTurned) await this.recorder.recordNew(poll, this.progress.storeHead, signal);
    // A poll that got no block does not prove that the chain was silent: its head may have moved.
    this.hasSeen = !poll.isBlind;
    if (this.hasSeen && state) book.note(at, head.nodeClock);
    if (!isTurned) {
      if (!poll.hasMore && !poll.isBlind) await this.debts.collect(poll, signal);
      if (!poll.hasMore) await this.followInclusion(poll, signal);
      if (!poll.hasMore) await this.compareWithSiblings(poll, signal);
      await this.noteProgress(poll, signal);
    }
    // Findings from before the stop remain true, but an aborted answer must not be recorded.
    if (signal.aborted) return POLL_EVERY_MS;
    if (!(await this.write(poll))) return LOST_MS;
    if (poll.hasMore) return this.pauseMs;
    return Math.max(this.pauseMs, this.inclusion.isStalled ? POLL_WHILE_STALLED_MS : POLL_EVERY_MS);
  }

  private async open(
    state: BlocksState | undefined,
    head: ChainHead,
    signal: AbortSignal,
  ): Promise<BlocksPoll | undefined> {
    const chain = head.chainId ?? this.recorder.shownChain ?? state?.lineages[0]?.chain;
    const known = state?.lineages.find((each) => each.chain === chain);
    const turn = known ? { known, events: [] } : await this.tracker.begin(head, signal);
    if (!turn) return undefined;
    const before = findLineage(state, turn.known);
    const progress = state?.progress ?? null;
    const events = before ? [] : [...turn.events];
    return { state, head, events, known: before ?? turn.known, progress, hasMore: false, isBlind: false };
  }

  private async turnIfBehind(poll: BlocksPoll, signal: AbortSignal): Promise<boolean> {
    const fork = await this.tracker.checkBehind(poll.known, poll.head.height, signal);
    if (fork) await this.recorder.leave(poll, fork, signal);
    return fork !== null;
  }

  private async followInclusion(poll: BlocksPoll, signal: AbortSignal): Promise<void> {
    // Blocks that this very poll recorded already showed their DA heights.
    const upTo = BigInt(findLineage(poll.state, poll.known)?.next ?? 0) - 1n;
    const { heights, known, differing } = await this.inclusion.walk(poll.known, upTo, signal);
    if (differing !== null) {
      const fork = await this.tracker.findFork(poll.known, signal);
      if (fork) return this.recorder.leave(poll, fork, signal);
    }
    if (heights.length === 0) return;
    const { chain, lineage } = known;
    const body = { chain, lineage, heights };
    poll.events.push({ type: 'BlockInclusionObserved', observedAt: this.parts.clock.now(), body });
    poll.known = known;
  }

  private async compareWithSiblings(poll: BlocksPoll, signal: AbortSignal): Promise<void> {
    const now = this.parts.clock.monotonic();
    if (this.comparedAt !== undefined && now - this.comparedAt < COMPARE_MS) return;
    this.comparedAt = now;
    const fork = await this.tracker.compareWithSiblings(poll.known, signal);
    if (fork) await this.recorder.leave(poll, fork, signal);
  }

  private async noteProgress(poll: BlocksPoll, signal: AbortSignal): Promise<void> {
    const now = this.parts.clock.now();
    if (poll.hasMore && poll.progress && Math.abs(now - poll.progress.at) < PROGRESS_MS) return;
    const progress = await this.progress.read(poll.head, poll.known, { now }, signal);
    const isWritten = isWorthWriting(poll.progress, progress, now);
    const body = isWritten
      ? await this.progress.read(poll.head, poll.known, { now, isFresh: true }, signal)
      : progress;
    if (signal.aborted) return;
    this.giveUpPruned(poll, body.oldest);
    if (!isWritten) return;
    poll.events.push({ type: 'NodeProgressObserved', observedAt: now, body });
    poll.progress = { at: now, body };
  }

  /** Gives up blocks that the node pruned before it gave them or showed them included: it never will. */
  private giveUpPruned(poll: BlocksPoll, oldest: string | null): void {
    const { head } = poll;
    if (oldest === null || BigInt(oldest) > head.height) return;
    const { debts } = poll.known;
    const isOwed = debts?.[0] !== undefined && BigInt(debts[0].from) < BigInt(oldest);
    if (isOwed) poll.known = { ...poll.known, debts: dropDebtsBelow(debts, BigInt(oldest)) };
    const { known } = poll;
    const lowest = lowestHeight(known.pending);
    if (lowest === null || BigInt(oldest) <= lowest) return;
    poll.known = { ...known, pending: heightsFrom(known.pending, BigInt(oldest)) };
    poll.events.push(this.tracker.pruned(known, lowest, BigInt(oldest) - 1n));
  }

  /** @returns false when another process was first */
  private async write(poll: BlocksPoll): Promise<boolean> {
    if (poll.events.length === 0 && poll.state?.lineages[0] === poll.known) {
      this.tracker.post(poll.known);
      return true;
    }
    const { budget, clock, book } = this.parts;
    const at = clock.now();
    const carrier = poll.events.findIndex(({ type }) => CARRIERS.has(type));
    let pauseForBlocksMs = 0;
    const pauseMs = await this.stream.record({
      at,
      carryNoPolls: carrier < 0,
      events: carryPolls(poll.events, book.peek(), carrier),
      state: (events) => {
        const blocks = budget.fitBlocks(poll.state?.written, events, at);
        pauseForBlocksMs = blocks.pauseMs;
        const found = { ...withLineage(poll.state, poll.known), progress: poll.progress };
        return { ...found, written: blocks.written };
      },
    });
    if (pauseMs === undefined) return false;
    this.pauseMs = Math.max(pauseMs, pauseForBlocksMs);
    this.tracker.post(poll.known);
    return true;
  }
}

/** Events whose body can carry the polls since the previous event. */
const CARRIERS: ReadonlySet<string> = new Set([
  'BlocksObserved',
  'BlockUnreadable',
  'BlockInclusionObserved',
  'NodeProgressObserved',
]);
