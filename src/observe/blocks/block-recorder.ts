import type { BlockDraft } from '../../domain/blocks/block-draft.js';
import type { BlockRecord } from '../../domain/blocks/block.js';
import type { NewEvent } from '../../domain/events.js';
import { packBlocks } from '../../domain/blocks/pack-blocks.js';
import { verifyBlocks, type VerifyContext } from '../../domain/blocks/verify-block.js';
import type { Refused } from '../../node-api/answer.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { BackfillLog } from './backfill-log.js';
import { isRefused, type BlockFetcher, type FetchedRun } from './block-fetcher.js';
import { afterBlocks, newLineage, previousOf, withLineage } from './blocks-state.js';
import type { BlocksState, LineageState } from './blocks-state.js';
import type { ChainHead } from './chain-head.js';
import type { Departure } from './chain-lineages.js';
import type { InclusionWalker } from './inclusion-walker.js';
import { authenticChain, type LineageTracker } from './lineage-tracker.js';

export interface BlocksPoll {
  state: BlocksState | undefined;
  readonly head: ChainHead;
  readonly events: NewEvent[];
  known: LineageState;
  progress: BlocksState['progress'];
  /** Whether more blocks can be fetched at once. */
  hasMore: boolean;
  /** Whether the node did not give a block that it claims to have. Then the poll saw nothing of the blocks. */
  isBlind: boolean;
}

/** The most blocks in one event, and in one poll. */
export const BLOCKS_PER_EVENT = 500n;
/** A block must be unreadable at this many polls in a row before it is skipped. */
const PATIENCE = 3;
/** Refusals that may concern a single height. The others mean that the node has no blocks to give, or the poll was aborted. */
const SKIPPED_STATES: ReadonlySet<Refused['state']> = new Set(['MISSING', 'INVALID', 'UNREACHABLE']);
/** A node that switches back and forth between lineages is not followed faster than this. */
const CALM_MS = 5_000;

/** Fetches, checks and records the next blocks, and handles forks, foreign chains and refusals. */
export class BlockRecorder {
  /** The chain of the last foreign block, for a node that does not report its chain with its head. */
  shownChain: string | undefined;
  private readonly log: BackfillLog;
  private ahead: { readonly key: string; readonly run: Promise<FetchedRun> } | undefined;
  private failures = { key: '', count: 0 };
  private skippedTo = '';
  private leftAt: number | undefined;

  constructor(
    private readonly parts: { readonly clock: Clock; readonly logger: Logger },
    private readonly fetcher: BlockFetcher,
    private readonly tracker: LineageTracker,
    private readonly inclusion: InclusionWalker,
  ) {
    this.log = new BackfillLog(parts.logger, parts.clock);
  }

  /** Forgets the blocks that were fetched in advance and the hashes remembered for the inclusion walk. */
  forget(): void {
    this.ahead = undefined;
    this.inclusion.reset();
  }

  /** Continues in the lineage that the node shows from a fork on. */
  async leave(poll: BlocksPoll, fork: Omit<Departure, 'notThese'>, signal: AbortSignal): Promise<void> {
    const from = `${poll.known.chain}/${poll.known.lineage}`;
    turnTo(poll, await this.tracker.leave(poll.state, poll.known, fork, signal));
    const now = this.parts.clock.monotonic();
    poll.hasMore = this.leftAt === undefined || now - this.leftAt >= CALM_MS;
    this.leftAt = now;
    this.forget();
    const to = `${poll.known.chain}/${poll.known.lineage}`;
    this.parts.logger.warn(
      { from, to, height: String(fork.height) },
      'the node shows another fork of its chain',
    );
  }

  /** Adds the event of the next blocks, if there are any, or of what the node gave instead. */
  async recordNew(
    poll: BlocksPoll,
    storeHead: VerifyContext['storeHead'],
    signal: AbortSignal,
  ): Promise<void> {
    const { leaves } = poll.known;
    if (leaves && leaves.at === poll.known.next) {
      const { chain, previous, proven } = poll.known;
      turnTo(poll, { ...newLineage(chain, leaves.to, BigInt(leaves.at)), previous, proven });
    }
    const { drafts, refusal } = await this.fetchNext(poll, signal);
    if (signal.aborted) return;
    const foreign = drafts.findIndex((draft) => authenticChain(draft, poll.known.chain) !== poll.known.chain);
    const own = foreign < 0 ? drafts : drafts.slice(0, foreign);
    if (foreign === 0) this.turnToChain(poll, drafts[0] as BlockDraft);
    else if (own.length > 0) await this.recordRun(poll, own, storeHead, signal);
    else if (refusal) await this.readOn(poll, refusal, signal);
  }

  /** Returns the next blocks, which may already be fetched, and starts fetching those after them. */
  private async fetchNext(poll: BlocksPoll, signal: AbortSignal): Promise<FetchedRun> {
    const { known, head } = poll;
    const next = BigInt(known.next);
    const end = known.leaves ? min(head.height, BigInt(known.leaves.at) - 1n) : head.height;
    if (next > end) return { drafts: [], refusal: null };
    const key = `${known.chain}/${known.lineage} ${next}`;
    const inAdvance = this.ahead?.key === key ? this.ahead.run : undefined;
    this.ahead = undefined;
    const run = await (inAdvance ??
      this.fetcher.fetchRun(next, min(end, next + BLOCKS_PER_EVENT - 1n), signal));
    const after = next + BigInt(run.drafts.length);
    poll.hasMore = run.refusal === null && after <= head.height;
    if (poll.hasMore && after <= end) {
      const last = min(end, after + BLOCKS_PER_EVENT - 1n);
      const ahead = this.fetcher.fetchRun(after, last, signal);
      // The poll may end without awaiting this run; its failure must not become an unhandled rejection.
      ahead.catch(() => undefined);
      this.ahead = { key: `${known.chain}/${known.lineage} ${after}`, run: ahead };
    }
    return run;
  }

  private async recordRun(
    poll: BlocksPoll,
    drafts: readonly BlockDraft[],
    storeHead: VerifyContext['storeHead'],
    signal: AbortSignal,
  ): Promise<void> {
    const { known, head } = poll;
    const context = { previous: previousOf(known), proven: known.proven, ...(storeHead && { storeHead }) };
    const whole = verifyBlocks(drafts, context);
    const broken = whole.blocks.findIndex(isBroken);
    if (broken === 0) return this.handleBreak(poll, whole.blocks[0] as BlockRecord, signal);
    const verified = broken < 0 ? whole : verifyBlocks(drafts.slice(0, broken), context);
    if (broken > 0) poll.hasMore = true;
    const to = verified.blocks.at(-1)?.header.height;
    const { chain, lineage } = known;
    const body = {
      chain,
      lineage,
      ...(to !== head.height && { head: String(head.height) }),
      ...packBlocks(verified.blocks, verified.late),
    };
    poll.events.push({ type: 'BlocksObserved', observedAt: this.parts.clock.now(), body });
    poll.known = afterBlocks(known, verified);
    this.inclusion.noteRecorded(drafts);
    this.log.note(BigInt(poll.known.next) - 1n, head.height, drafts.length);
  }

  /** Handles a next block that does not continue the last one: the node switched to another lineage, or its own is broken. */
  private async handleBreak(poll: BlocksPoll, block: BlockRecord, signal: AbortSignal): Promise<void> {
    const { chain, lineage, previous } = poll.known;
    const height = block.header.height;
    poll.hasMore = false;
    this.ahead = undefined;
    const parent = await this.fetcher.fetchOne(height - 1n, signal);
    if (isRefused(parent) ? !parent.missing : authenticChain(parent, chain) !== chain) return;
    const isParentSame = isRefused(parent) || parent.hash === previous?.hash;
    const fork = isParentSame ? null : await this.tracker.findFork(poll.known, signal);
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
    poll.events.push({ type: 'BlockChainBroken', observedAt: this.parts.clock.now(), body });
    await this.leave(poll, departure, signal);
  }

  /** The node answers for another chain: from the next poll on its answers are recorded there. */
  private turnToChain(poll: BlocksPoll, draft: BlockDraft): void {
    const { chainId } = draft.content.header;
    this.parts.logger.warn({ from: poll.known.chain, to: chainId }, 'the node reports another chain');
    this.shownChain = chainId;
    this.ahead = undefined;
    poll.hasMore = false;
  }

  /** The next height is unavailable: waits, or skips it where the node gives a later one. */
  private async readOn(poll: BlocksPoll, refusal: Refused, signal: AbortSignal): Promise<void> {
    const { known, head } = poll;
    if (BigInt(known.next) >= head.height && refusal.missing) return;
    poll.isBlind = true;
    if (!SKIPPED_STATES.has(refusal.state)) return;
    const key = `${known.chain}/${known.lineage} ${known.next}`;
    this.failures = { key, count: this.failures.key === key ? this.failures.count + 1 : 1 };
    if (this.failures.count < PATIENCE && this.skippedTo !== key) return;
    const turn = await this.tracker.skip(known, head.height, refusal, signal);
    if (!turn) return;
    const from = known.next;
    for (const event of turn.events) poll.events.push(event);
    poll.known = turn.known;
    this.parts.logger.warn(
      { from, to: String(BigInt(poll.known.next) - 1n), detail: refusal.detail },
      'the node does not return a block; skipped, and requested again later',
    );
    this.skippedTo = `${known.chain}/${known.lineage} ${poll.known.next}`;
    poll.isBlind = false;
    poll.hasMore = true;
  }
}

/** Continues with another lineage and keeps what is known of the present one. */
function turnTo(poll: BlocksPoll, known: LineageState): void {
  poll.state = withLineage(poll.state, poll.known);
  poll.known = known;
}

/** Whether a block that is not damaged itself does not continue the block before it. */
export function isBroken({ checks }: BlockRecord): boolean {
  return checks.link === 'FAILED' && checks.signature !== 'FAILED';
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
