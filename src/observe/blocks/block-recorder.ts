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
import type { InclusionWalk } from './inclusion-walk.js';
import { authenticChain, type LineageTracker } from './lineage-tracker.js';

export interface BlocksLook {
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
    private readonly inclusion: InclusionWalk,
  ) {
    this.log = new BackfillLog(parts.logger, parts.clock);
  }

  /** Forgets the blocks that were fetched in advance and the hashes remembered for the inclusion walk. */
  forget(): void {
    this.ahead = undefined;
    this.inclusion.reset();
  }

  /** Continues in the lineage that the node shows from a fork on. */
  async leave(look: BlocksLook, fork: Omit<Departure, 'notThese'>, signal: AbortSignal): Promise<void> {
    const from = `${look.known.chain}/${look.known.lineage}`;
    turnTo(look, await this.tracker.leave(look.state, look.known, fork, signal));
    const now = this.parts.clock.monotonic();
    look.hasMore = this.leftAt === undefined || now - this.leftAt >= CALM_MS;
    this.leftAt = now;
    this.forget();
    const to = `${look.known.chain}/${look.known.lineage}`;
    this.parts.logger.warn(
      { from, to, height: String(fork.height) },
      'the node shows another fork of its chain',
    );
  }

  /** Adds the event of the next blocks, if there are any, or of what the node gave instead. */
  async recordNew(
    look: BlocksLook,
    storeHead: VerifyContext['storeHead'],
    signal: AbortSignal,
  ): Promise<void> {
    const { leaves } = look.known;
    if (leaves && leaves.at === look.known.next) {
      const { chain, previous, proven } = look.known;
      turnTo(look, { ...newLineage(chain, leaves.to, BigInt(leaves.at)), previous, proven });
    }
    const { drafts, refusal } = await this.fetchNext(look, signal);
    if (signal.aborted) return;
    const foreign = drafts.findIndex((draft) => authenticChain(draft, look.known.chain) !== look.known.chain);
    const own = foreign < 0 ? drafts : drafts.slice(0, foreign);
    if (foreign === 0) this.turnToChain(look, drafts[0] as BlockDraft);
    else if (own.length > 0) await this.recordRun(look, own, storeHead, signal);
    else if (refusal) await this.readOn(look, refusal, signal);
  }

  /** Returns the next blocks, which may already be fetched, and starts fetching those after them. */
  private async fetchNext(look: BlocksLook, signal: AbortSignal): Promise<FetchedRun> {
    const { known, head } = look;
    const next = BigInt(known.next);
    const end = known.leaves ? min(head.height, BigInt(known.leaves.at) - 1n) : head.height;
    if (next > end) return { drafts: [], refusal: null };
    const key = `${known.chain}/${known.lineage} ${next}`;
    const inAdvance = this.ahead?.key === key ? this.ahead.run : undefined;
    this.ahead = undefined;
    const run = await (inAdvance ??
      this.fetcher.fetchRun(next, min(end, next + BLOCKS_PER_EVENT - 1n), signal));
    const after = next + BigInt(run.drafts.length);
    look.hasMore = run.refusal === null && after <= head.height;
    if (look.hasMore && after <= end) {
      const last = min(end, after + BLOCKS_PER_EVENT - 1n);
      const ahead = this.fetcher.fetchRun(after, last, signal);
      // The poll may end without awaiting this run; its failure must not become an unhandled rejection.
      ahead.catch(() => undefined);
      this.ahead = { key: `${known.chain}/${known.lineage} ${after}`, run: ahead };
    }
    return run;
  }

  private async recordRun(
    look: BlocksLook,
    drafts: readonly BlockDraft[],
    storeHead: VerifyContext['storeHead'],
    signal: AbortSignal,
  ): Promise<void> {
    const { known, head } = look;
    const context = { previous: previousOf(known), proven: known.proven, ...(storeHead && { storeHead }) };
    const whole = verifyBlocks(drafts, context);
    const broken = whole.blocks.findIndex(isBroken);
    if (broken === 0) return this.handleBreak(look, whole.blocks[0] as BlockRecord, signal);
    const verified = broken < 0 ? whole : verifyBlocks(drafts.slice(0, broken), context);
    if (broken > 0) look.hasMore = true;
    const to = verified.blocks.at(-1)?.header.height;
    const { chain, lineage } = known;
    const body = {
      chain,
      lineage,
      ...(to !== head.height && { head: String(head.height) }),
      ...packBlocks(verified.blocks, verified.late),
    };
    look.events.push({ type: 'BlocksObserved', observedAt: this.parts.clock.now(), body });
    look.known = afterBlocks(known, verified);
    this.inclusion.noteRecorded(drafts);
    this.log.note(BigInt(look.known.next) - 1n, head.height, drafts.length);
  }

  /** Handles a next block that does not continue the last one: the node switched to another lineage, or its own is broken. */
  private async handleBreak(look: BlocksLook, block: BlockRecord, signal: AbortSignal): Promise<void> {
    const { chain, lineage, previous } = look.known;
    const height = block.header.height;
    look.hasMore = false;
    this.ahead = undefined;
    const parent = await this.fetcher.fetchOne(height - 1n, signal);
    if (isRefused(parent) ? !parent.missing : authenticChain(parent, chain) !== chain) return;
    const isParentSame = isRefused(parent) || parent.hash === previous?.hash;
    const fork = isParentSame ? null : await this.tracker.findFork(look.known, signal);
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
    look.events.push({ type: 'BlockChainBroken', observedAt: this.parts.clock.now(), body });
    await this.leave(look, departure, signal);
  }

  /** The node answers for another chain: from the next poll on its answers are recorded there. */
  private turnToChain(look: BlocksLook, draft: BlockDraft): void {
    const { chainId } = draft.content.header;
    this.parts.logger.warn({ from: look.known.chain, to: chainId }, 'the node reports another chain');
    this.shownChain = chainId;
    this.ahead = undefined;
    look.hasMore = false;
  }

  /** The next height is unavailable: waits, or skips it where the node gives a later one. */
  private async readOn(look: BlocksLook, refusal: Refused, signal: AbortSignal): Promise<void> {
    const { known, head } = look;
    if (BigInt(known.next) >= head.height && refusal.missing) return;
    look.isBlind = true;
    if (!SKIPPED_STATES.has(refusal.state)) return;
    const key = `${known.chain}/${known.lineage} ${known.next}`;
    this.failures = { key, count: this.failures.key === key ? this.failures.count + 1 : 1 };
    if (this.failures.count < PATIENCE && this.skippedTo !== key) return;
    const turn = await this.tracker.skip(known, head.height, refusal, signal);
    if (!turn) return;
    const from = known.next;
    for (const event of turn.events) look.events.push(event);
    look.known = turn.known;
    this.parts.logger.warn(
      { from, to: String(BigInt(look.known.next) - 1n), detail: refusal.detail },
      'the node does not return a block; skipped, and requested again later',
    );
    this.skippedTo = `${known.chain}/${known.lineage} ${look.known.next}`;
    look.isBlind = false;
    look.hasMore = true;
  }
}

/** Continues with another lineage and keeps what is known of the present one. */
function turnTo(look: BlocksLook, known: LineageState): void {
  look.state = withLineage(look.state, look.known);
  look.known = known;
}

/** Whether a block that is not damaged itself does not continue the block before it. */
export function isBroken({ checks }: BlockRecord): boolean {
  return checks.link === 'FAILED' && checks.signature !== 'FAILED';
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
