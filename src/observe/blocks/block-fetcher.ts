import {
  draftBlockWith,
  type BlockDraft,
  type KeptTransactions,
  type SignatureCheck,
} from '../../domain/blocks/block-draft.js';
import { isSignedByInBackground } from '../../domain/blocks/block-signature.js';
import type { DecodedBlock } from '../../domain/blocks/block.js';
import type { Refused } from '../../node-api/answer.js';
import type { NodeApi } from '../../node-api/node-api.js';

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
const SIGNATURES_AT_ONCE = 64;

/** Fetches blocks and does with each all that can be done with it alone, so that its transactions need not wait in memory. */
export class BlockFetcher {
  constructor(
    private readonly api: NodeApi,
    private readonly keep: KeptTransactions,
  ) {}

  async fetchOne(height: bigint, signal: AbortSignal): Promise<BlockDraft | Refused> {
    const answer = await this.api.block({ height }, signal);
    return answer.ok ? this.draft(height, answer.value, isSignedByInBackground) : answer;
  }

  /** Each of some heights, all at once. */
  fetchEach(heights: readonly bigint[], signal: AbortSignal): Promise<(BlockDraft | Refused)[]> {
    return Promise.all(heights.map((height) => this.fetchOne(height, signal)));
  }

  /** Heights `from` to `to`, several requests in flight. */
  async fetchRun(from: bigint, to: bigint, signal: AbortSignal): Promise<FetchedRun> {
    const results = new Map<bigint, Promise<BlockDraft> | Refused>();
    const signatures = new SignatureBatches();
    let next = from;
    let end = to;
    let kept = 0;
    const work = async (): Promise<void> => {
      while (next <= end && kept < MOST_KEPT_CHARACTERS) {
        const height = next++;
        const answer = await this.api.block({ height }, signal);
        if (answer.ok) {
          results.set(height, this.draft(height, answer.value, signatures.check));
          kept += this.keptCharacters(answer.value);
        } else {
          results.set(height, answer);
          end = height < end ? height : end;
        }
      }
    };
    await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, work));
    signatures.flush();
    const drafts: BlockDraft[] = [];
    for (let height = from; height <= to; height++) {
      const result = results.get(height);
      if (!result) break;
      if ('ok' in result) return { drafts, refusal: result };
      drafts.push(await result);
    }
    return { drafts, refusal: null };
  }

  private draft(height: bigint, block: DecodedBlock, check: SignatureCheck): Promise<BlockDraft> {
    return draftBlockWith(check, { height, block }, this.keep);
  }

  private keptCharacters({ transactions }: DecodedBlock): number {
    if (this.keep === 'none') return 0;
    if (this.keep === 'hashes') return transactions.length * 64;
    return transactions.reduce((sum, { length }) => sum + 2 * length, 0);
  }
}

/** Starts the checks of many signatures together: to wake another thread for each costs more than the check itself. */
class SignatureBatches {
  private waiting: (() => void)[] = [];

  readonly check: SignatureCheck = (signed, header) =>
    new Promise((resolve) => {
      this.waiting.push(() => resolve(isSignedByInBackground(signed, header)));
      if (this.waiting.length >= SIGNATURES_AT_ONCE) this.flush();
    });

  flush(): void {
    for (const start of this.waiting.splice(0)) start();
  }
}

export function isRefused(result: BlockDraft | Refused): result is Refused {
  return 'ok' in result;
}
