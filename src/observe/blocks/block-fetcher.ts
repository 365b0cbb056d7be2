import {
  draftBlockWith,
  type BlockDraft,
  type StoredTransactions,
  type SignatureCheck,
} from '../../domain/blocks/block-draft.js';
import { isSignedByInBackground } from '../../domain/blocks/block-signature.js';
import type { DecodedBlock } from '../../domain/blocks/block.js';
import type { Refused } from '../../node-api/answer.js';
import type { NodeApi } from '../../node-api/node-api.js';

/** Consecutive blocks in ascending order, up to the first that the node did not give. */
export interface FetchedRun {
  readonly drafts: readonly BlockDraft[];
  /** Why the run ended early; null if it did not. */
  readonly refusal: Refused | null;
}

export const REQUESTS_IN_FLIGHT = 8;
/** A run ends early once the transactions to keep exceed this size, which bounds memory and events. */
const MOST_KEPT_CHARACTERS = 8_000_000;
const SIGNATURES_AT_ONCE = 64;

/** Fetches blocks and does at once all work that needs no other block, so that transactions do not pile up in memory. */
export class BlockFetcher {
  constructor(
    private readonly api: NodeApi,
    private readonly keep: StoredTransactions,
  ) {}

  async fetchOne(height: bigint, signal: AbortSignal): Promise<BlockDraft | Refused> {
    const answer = await this.api.block({ height }, signal);
    return answer.ok ? this.draft(height, answer.value, isSignedByInBackground) : answer;
  }

  fetchEach(heights: readonly bigint[], signal: AbortSignal): Promise<(BlockDraft | Refused)[]> {
    return Promise.all(heights.map((height) => this.fetchOne(height, signal)));
  }

  /** Fetches heights `from` to `to` with several requests in flight. */
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

/** Starts signature checks in batches: waking another thread for each one costs more than the check itself. */
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
