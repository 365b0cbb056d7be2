import { draftBlockInBackground, type BlockDraft, type KeptTransactions } from '../domain/block-draft.js';
import type { NodeAnswer, Refused } from '../node-api/answer.js';
import type { NodeApi } from '../node-api/node-api.js';

/** A run of blocks in the order of their heights, up to the first that could not be had. */
export interface FetchedRun {
  readonly drafts: readonly BlockDraft[];
  /** Why it ended before its end; null if it did not. */
  readonly refusal: Refused | null;
}

/** Requests under way at a time. */
export const REQUESTS_IN_FLIGHT = 8;
/** A run ends early where the transactions that are kept pass this, so that memory and events stay small. */
const MOST_KEPT_CHARACTERS = 8_000_000;

/** Fetches blocks and does with each all that can be done with it alone, so that its transactions need not wait in memory. */
export class BlockFetcher {
  constructor(
    private readonly api: NodeApi,
    private readonly keep: KeptTransactions,
  ) {}

  async fetchOne(height: bigint, signal: AbortSignal): Promise<BlockDraft | Refused> {
    return this.draft(height, await this.api.block({ height }, signal));
  }

  /** Each of some heights, all at once. */
  fetchEach(heights: readonly bigint[], signal: AbortSignal): Promise<(BlockDraft | Refused)[]> {
    return Promise.all(heights.map((height) => this.fetchOne(height, signal)));
  }

  /** Heights `from` to `to`, several requests in flight. */
  async fetchRun(from: bigint, to: bigint, signal: AbortSignal): Promise<FetchedRun> {
    const results = new Map<bigint, BlockDraft | Refused>();
    let next = from;
    let end = to;
    let kept = 0;
    const work = async (): Promise<void> => {
      while (next <= end && kept < MOST_KEPT_CHARACTERS) {
        const height = next++;
        const result = await this.fetchOne(height, signal);
        results.set(height, result);
        if (isRefused(result)) end = height < end ? height : end;
        else kept += keptCharacters(result);
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, work));
    const drafts: BlockDraft[] = [];
    for (let height = from; height <= to; height++) {
      const result = results.get(height);
      if (!result) break;
      if (isRefused(result)) return { drafts, refusal: result };
      drafts.push(result);
    }
    return { drafts, refusal: null };
  }

  private async draft(
    height: bigint,
    answer: NodeAnswer<Parameters<typeof draftBlockInBackground>[0]['block']>,
  ) {
    return answer.ok ? draftBlockInBackground({ height, block: answer.value }, this.keep) : answer;
  }
}

export function isRefused(result: BlockDraft | Refused): result is Refused {
  return 'ok' in result;
}

function keptCharacters({ content }: BlockDraft): number {
  return content.transactions?.values.reduce((sum, { length }) => sum + length, 0) ?? 0;
}
