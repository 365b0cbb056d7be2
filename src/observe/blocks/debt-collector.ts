import {
  dueHeights,
  endOfDebt,
  settleDebts,
  type BlockDebt,
  type DebtAnswers,
} from '../../domain/blocks/block-debts.js';
import type { BlockDraft } from '../../domain/blocks/block-draft.js';
import type { BlockRecord } from '../../domain/blocks/block.js';
import { packBlocks } from '../../domain/blocks/pack-blocks.js';
import { verifyBlocks } from '../../domain/blocks/verify-block.js';
import type { Refused } from '../../node-api/answer.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { isRefused, REQUESTS_IN_FLIGHT, type BlockFetcher } from './block-fetcher.js';
import { BLOCKS_PER_EVENT, isBroken, type BlocksPoll } from './block-recorder.js';
import { withPending, type LineageState } from './blocks-state.js';
import type { InclusionWalker } from './inclusion-walker.js';
import { authenticChain, type LineageTracker } from './lineage-tracker.js';

interface CollectedBlocks {
  readonly given: bigint[];
  readonly refused: bigint[];
  /** Runs of consecutive heights, each of which becomes one event. */
  readonly runs: BlockDraft[][];
}

/** Requests skipped heights again and records the blocks that the node gives by now. */
export class DebtCollector {
  constructor(
    private readonly parts: { readonly clock: Clock; readonly logger: Logger },
    private readonly fetcher: BlockFetcher,
    private readonly tracker: LineageTracker,
    private readonly inclusion: InclusionWalker,
  ) {}

  /** Adds events of blocks that the node gives by now. They belong to the recorded lineage only if the node still shows it. */
  async collect(poll: BlocksPoll, signal: AbortSignal): Promise<void> {
    const debts = poll.known.debts ?? [];
    const due = dueHeights(debts, this.parts.clock.now(), REQUESTS_IN_FLIGHT);
    if (due.length === 0) return;
    const collected = await this.request(poll.known, debts, due, signal);
    const isOnRecord = collected.runs.length === 0 || (await this.tracker.isOnRecord(poll.known, signal));
    if (signal.aborted) return;
    const answers = isOnRecord ? await this.record(poll, collected, signal) : noneGiven(collected);
    if (signal.aborted) return;
    const now = this.parts.clock.now();
    const left = settleDebts(debts, answers, now);
    poll.known = { ...poll.known, debts: left };
    poll.hasMore = answers.given.length > 0 && dueHeights(left, now, 1).length > 0;
  }

  private async request(
    known: LineageState,
    debts: readonly BlockDebt[],
    due: readonly bigint[],
    signal: AbortSignal,
  ): Promise<CollectedBlocks> {
    const collected: CollectedBlocks = { given: [], refused: [], runs: [] };
    const isOwn = (result: BlockDraft | Refused): result is BlockDraft =>
      !isRefused(result) && authenticChain(result, known.chain) === known.chain;
    const results = await this.fetcher.fetchEach(due, signal);
    for (const [index, height] of due.entries()) {
      const first = results[index];
      const room = BLOCKS_PER_EVENT - BigInt(collected.given.length);
      if (!first || !isOwn(first) || room <= 0n) {
        collected.refused.push(height);
        continue;
      }
      const end = endOfDebt(debts, height) ?? height;
      const to = end < height + room ? end : height + room - 1n;
      const { drafts, refusal } = await this.fetcher.fetchRun(height + 1n, to, signal);
      const foreign = drafts.findIndex((draft) => !isOwn(draft));
      const run = [first, ...(foreign < 0 ? drafts : drafts.slice(0, foreign))];
      for (const draft of run) collected.given.push(draft.height);
      if (refusal || foreign >= 0) collected.refused.push(height + BigInt(run.length));
      collected.runs.push(run);
    }
    return collected;
  }

  private async record(
    poll: BlocksPoll,
    collected: CollectedBlocks,
    signal: AbortSignal,
  ): Promise<DebtAnswers> {
    const given: bigint[] = [];
    const refused = [...collected.refused];
    for (const run of collected.runs) {
      const heights = run.map(({ height }) => height);
      const blocks = await this.verify(poll.known, run, signal);
      if (signal.aborted) break;
      if (blocks === undefined) {
        refused.push(...heights);
        continue;
      }
      const { chain, lineage } = poll.known;
      const body = { chain, lineage, head: String(poll.head.height), ...packBlocks(blocks) };
      poll.events.push({ type: 'BlocksObserved', observedAt: this.parts.clock.now(), body });
      poll.known = withPending(poll.known, blocks);
      this.inclusion.noteRecorded(run);
      given.push(...heights);
      this.parts.logger.info(
        { from: body.from, to: body.to },
        'the node returned blocks that had been skipped',
      );
    }
    return { given, refused };
  }

  /** Checks a run against the blocks around it; undefined where the run does not fit between them. */
  private async verify(
    { chain, proven }: LineageState,
    run: readonly BlockDraft[],
    signal: AbortSignal,
  ): Promise<readonly BlockRecord[] | undefined> {
    const first = run[0]?.height ?? 0n;
    const around = await this.fetcher.fetchEach([first - 1n, first + BigInt(run.length)], signal);
    const [before, after] = around.map((result) =>
      isRefused(result) || authenticChain(result, chain) !== chain ? [] : [result],
    );
    const drafts = [...(before ?? []), ...run, ...(after ?? [])];
    const { blocks } = verifyBlocks(drafts, { previous: null, proven });
    if (blocks.some(isBroken)) return undefined;
    const skipped = before?.length ?? 0;
    return blocks.slice(skipped, skipped + run.length);
  }
}

function noneGiven({ given, refused }: CollectedBlocks): DebtAnswers {
  return { given: [], refused: [...given, ...refused] };
}
