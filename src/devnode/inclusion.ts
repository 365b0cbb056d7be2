import type { ChainBlock } from './block-factory.js';
import type { ChainStore } from './chain-store.js';

/**
 * Marks blocks as included, one after the other, up to the first one with a part that is not posted yet: one
 * missing blob holds up all later blocks. A block without transactions repeats its header's DA height.
 */
export function includePosted(chain: ChainStore): void {
  for (let block = nextBlock(chain); block; block = nextBlock(chain)) {
    const { height } = block.header;
    const header = chain.findPosted('header', height);
    const data = block.transactions.length === 0 ? header : chain.findPosted('data', height);
    if (header === undefined || data === undefined) return;
    chain.setIncluded(height, header, data);
    chain.setMetadata('d', height);
  }
}

function nextBlock(chain: ChainStore): ChainBlock | undefined {
  return chain.findStored((chain.getMetadata('d') ?? 0n) + 1n);
}
