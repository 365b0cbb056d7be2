import type { ChainStore } from './chain-store.js';
import type { NoteTruth } from './truth-log.js';

/**
 * Marks blocks as included, one after the other, up to the first one with a part that is not posted yet. One
 * missing blob holds up all later blocks. A block without transactions repeats its header's DA height.
 */
export function includePosted(chain: ChainStore, note?: NoteTruth): void {
  for (let height = (chain.getMetadata('d') ?? 0n) + 1n; height <= chain.headHeight; height += 1n) {
    const header = chain.findPosted('header', height);
    const data = chain.hasData(height) ? chain.findPosted('data', height) : header;
    if (header === undefined || data === undefined) return;
    chain.setIncluded(height, header, data);
    chain.setMetadata('d', height);
    note?.('included', { height, headerDaHeight: header, dataDaHeight: data });
  }
}
