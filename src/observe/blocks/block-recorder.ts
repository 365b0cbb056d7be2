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

/** What one look has found so far. */
export interface BlocksLook {
  state: BlocksState | undefined;
  readonly head: ChainHead;
  readonly events: NewEvent[];
  known: LineageState;
  progress: BlocksState['progress'];
  /** Whether more is to be had at once. */
  hasMore: boolean;
  /** Whether the node was asked for a block that it says to have, and gave none: then the look saw nothing of the blocks. */
  isBlind: boolean;
}

/** Blocks of one event, and of one look. */
export const BLOCKS_PER_EVENT = 500n;
/** Looks at which a block must be unreadable before it is skipped. */
const PATIENCE = 3;
/** Refusals that may concern one height alone. The others say that the node has no blocks to give, or that the look was ended. */
const SKIPPED_STATES: ReadonlySet<Refused['state']> = new Set(['MISSING', 'INVALID', 'UNREACHABLE']);
/** A node that turns to and fro between lineages is not followed faster than this. */
const CALM_MS = 5_000;

/** Fetches, checks and records the blocks that come next, whatever the node does with them. */
export class BlockRecorder {
  /** The chain of the last foreign block, for a node that does not tell its chain with its head. */
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

  /** Forgets what was fetched in advance and remembered of blocks. */
  forget(): void {
    this.ahead = undefined;
    this.inclusion.reset();
  }

  /** Goes on in the lineage that the node shows from a fork on. */
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
      'the node shows another lineage of its chain',
    );
  }

  /** Adds the event of the next blocks, if there are any, or of what came instead of them. */
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

  /** The next blocks, which may have been asked for already; and those after them in advance. */
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
      // Nobody may be left to hear of a failure when the look ends otherwise; who awaits it does hear.
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

  /** The next block does not continue the last one: the node turned to another history, or its own is broken. */
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

  /** The node answers for another chain: what it says belongs there, from the next look on. */
  private turnToChain(look: BlocksLook, draft: BlockDraft): void {
    const { chainId } = draft.content.header;
    this.parts.logger.warn({ from: look.known.chain, to: chainId }, 'the node answers for another chain');
    this.shownChain = chainId;
    this.ahead = undefined;
    look.hasMore = false;
  }

  /** The next height cannot be had: waits, or skips it where the node gives a later one. */
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
      'the node does not give a block; skipped, and asked for again later',
    );
    this.skippedTo = `${known.chain}/${known.lineage} ${look.known.next}`;
    look.isBlind = false;
    look.hasMore = true;
  }
}

/** Goes on with another lineage, and keeps what is known of this one. */
function turnTo(look: BlocksLook, known: LineageState): void {
  look.state = withLineage(look.state, look.known);
  look.known = known;
}

/** A block that is not damaged itself and does not continue the one before it. */
export function isBroken({ checks }: BlockRecord): boolean {
  return checks.link === 'FAILED' && checks.signature !== 'FAILED';
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
