import { constants } from 'node:buffer';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBlock, withHashes, type ChainBlock } from '../../src/devnode/block-factory.js';
import { ChainStore } from '../../src/devnode/chain-store.js';
import { createSigner } from '../../src/devnode/signer.js';

const IDENTITY = { chainId: 'store-1', seed: 'store', signer: createSigner('store-1'), txsPerBlock: 2 };

function nextBlock({ head }: ChainStore): ChainBlock {
  return makeBlock(IDENTITY, head, 1_790_000_000_000_000_000n + (head?.header.height ?? 0n) * 1_000_000n);
}

/** Uses half a gigabyte of blocks; `test/integration/chain-store.spec.ts` has the other requirements of the chain. */
describe('the chain of a devnode', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hindsight-chain-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("starts within a second on a log longer than Node's longest string", () => {
    const chain = new ChainStore(directory);
    const transactions = [Buffer.alloc(8_000_000, 'x')];
    const file = join(directory, 'chain.ndjson');
    while (chain.headHeight === 0n || statSync(file).size <= constants.MAX_STRING_LENGTH) {
      chain.append(withHashes({ ...nextBlock(chain), transactions }));
    }
    const before = performance.now();
    const again = new ChainStore(directory);
    expect(again.head?.hash).toBe(chain.head?.hash);
    expect(performance.now() - before).toBeLessThan(1_000);
    again.append(nextBlock(again));
    expect(again.headHeight).toBe(chain.headHeight + 1n);
  }, 60_000);
});
