import { draftBlock } from '../../src/domain/blocks/block-draft.js';
import type { BlockRecord } from '../../src/domain/blocks/block.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import type { PackedBlocks } from '../../src/domain/blocks/block-facts.js';
import { NOTHING_PROVEN, verifyBlocks, type VerifiedBlocks } from '../../src/domain/blocks/verify-block.js';
import { makeBlock, type ChainBlock, type ChainIdentity } from '../../src/devnode/block-factory.js';
import { createSigner } from '../../src/devnode/signer.js';

const BLOCK_TIME_NS = 500_000_000n;

/** A growing chain as an observer that follows it knows it: verified, not included yet. */
export class SampleChain {
  private readonly identity: ChainIdentity;
  private last: ChainBlock | undefined;
  private verified: Pick<VerifiedBlocks, 'previous' | 'proven'> = { previous: null, proven: NOTHING_PROVEN };

  constructor(
    readonly chainId: string,
    private readonly startNs: bigint,
  ) {
    const signer = createSigner(chainId);
    this.identity = { chainId, seed: 'bench', signer, txsPerBlock: 4 };
  }

  /** The next blocks, as records and in the form of an event's body. */
  grow(count: number): { blocks: readonly BlockRecord[]; packed: PackedBlocks } {
    const drafts = Array.from({ length: count }, () => {
      const height = (this.last?.header.height ?? 0n) + 1n;
      this.last = makeBlock(this.identity, this.last, this.startNs + height * BLOCK_TIME_NS);
      return draftBlock({ height, block: this.last });
    });
    const verified = verifyBlocks(drafts, this.verified);
    this.verified = verified;
    return { blocks: verified.blocks, packed: packBlocks(verified.blocks, verified.late) };
  }
}
