import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { makeBlock, type ChainBlock } from '../../src/devnode/block-factory.js';
import { ChainStore } from '../../src/devnode/chain-store.js';
import { createSigner } from '../../src/devnode/signer.js';
import { tries } from '../support/tries.js';

const IDENTITY = { chainId: 'store-1', seed: 'store', signer: createSigner('store-1'), txsPerBlock: 2 };

describe('the chain of a devnode', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hindsight-chain-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function nextBlock(chain: ChainStore): ChainBlock {
    const { head } = chain;
    return makeBlock(IDENTITY, head, 1_790_000_000_000_000_000n + (head?.header.height ?? 0n) * 1_000_000n);
  }

  function grow(chain: ChainStore, blocks: number): void {
    for (let left = blocks; left > 0; left -= 1) {
      chain.append(nextBlock(chain));
      const { height } = chain.head!.header;
      for (const kind of ['header', 'data'] as const) chain.setPosted(kind, height, height + 5n);
      chain.setIncluded(height, height + 5n, height + 5n);
      chain.setMetadata('d', height);
    }
  }

  /** All that it returns about its blocks. */
  function tell(chain: ChainStore): unknown[] {
    const heights = Array.from({ length: Number(chain.headHeight) + 1 }, (_, index) => BigInt(index + 1));
    return [
      chain.head,
      chain.oldest,
      chain.newestDaHeight,
      (['d', 'gdh', 'last-submitted-data-height', 'last-submitted-header-height'] as const).map((key) =>
        chain.getMetadata(key),
      ),
      heights.map((height) => [
        chain.findStored(height),
        chain.hasData(height),
        chain.findPosted('header', height),
        chain.findPosted('data', height),
      ]),
    ];
  }

  it('is the same after any number of starts, whatever part of the index was lost or half written', () => {
    const step = fc.oneof(
      fc.constant('block' as const),
      fc.record({
        posted: fc.constantFrom('header' as const, 'data' as const),
        of: fc.nat(30),
        at: fc.nat(99),
      }),
      fc.record({ included: fc.nat(30), at: fc.nat(99) }),
      fc.record({ metadata: fc.constantFrom('d' as const, 'gdh' as const), value: fc.nat(99) }),
      fc.constantFrom('start', 'index lost', 'index of another log', 'index cut', 'half a line'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const folder = mkdtempSync(join(directory, 'run-'));
        const [log, index] = ['chain.ndjson', 'chain.index'].map((name) => join(folder, name)) as [
          string,
          string,
        ];
        // Nothing of it is ever read again.
        const model = new ChainStore();
        let chain = new ChainStore(folder);
        const both = (change: (each: ChainStore) => void): void => [model, chain].forEach(change);
        for (const does of steps) {
          if (does === 'block') {
            const block = nextBlock(model);
            both((each) => each.append(block));
          } else if (typeof does === 'string') {
            if (does === 'index lost') rmSync(index);
            if (does === 'index of another log') writeFileSync(index, 'x'.repeat(500));
            if (does === 'index cut') truncateSync(index, Math.floor(statSync(index).size / 2));
            if (does === 'half a line') appendFileSync(log, '{"block":{"chainId":"st');
            chain = new ChainStore(folder);
          } else if ('posted' in does && BigInt(does.of) < model.headHeight) {
            both((each) => each.setPosted(does.posted, BigInt(does.of + 1), BigInt(does.at + 1)));
          } else if ('included' in does && BigInt(does.included) < model.headHeight) {
            both((each) =>
              each.setIncluded(BigInt(does.included + 1), BigInt(does.at + 1), BigInt(does.at + 1)),
            );
          } else if ('metadata' in does) {
            both((each) => each.setMetadata(does.metadata, BigInt(does.value + 1)));
          }
        }
        expect(tell(chain)).toEqual(tell(model));
        expect(tell(new ChainStore(folder))).toEqual(tell(model));
      }),
      tries(30),
    );
  });

  it('finds every block by its height and by both of its hashes, among many', () => {
    const chain = new ChainStore(directory);
    grow(chain, 2_500);
    for (const height of [1n, 2n, 999n, 1_000n, 1_001n, 1_500n, 2_499n, 2_500n]) {
      const block = chain.find(height)!;
      expect(block.header.height).toBe(height);
      expect(block).toMatchObject({ headerDaHeight: height + 5n, dataDaHeight: height + 5n });
      expect(chain.findByHash(block.hash, 'hash')).toEqual(block);
      expect(chain.findByHash(block.signedHash, 'signedHash')).toEqual(block);
      expect(chain.findByHash(block.hash, 'signedHash')).toBeUndefined();
      expect(chain.findByHash(`${block.hash.slice(0, 62)}xx`, 'hash')).toBeUndefined();
    }
    for (const odd of ['', 'ab', 'no hash', '00'.repeat(32)])
      expect(chain.findByHash(odd, 'hash')).toBeUndefined();
    expect(chain.find(0n)).toBeUndefined();
    expect(chain.find(2_501n)).toBeUndefined();
    expect(new ChainStore(directory, 10).find(2_490n)).toBeUndefined();
    expect(new ChainStore(directory, 10).oldest?.header.height).toBe(2_491n);
  });

  it('never rewrites a line that is in its log', () => {
    grow(new ChainStore(directory), 20);
    const file = join(directory, 'chain.ndjson');
    const { size, ino } = statSync(file);
    grow(new ChainStore(directory), 20);
    expect(statSync(file).ino).toBe(ino);
    expect(statSync(file).size).toBeGreaterThan(size);
  });

  it.each(['in a directory', 'without one'])('needs no more memory with more blocks, %s', async (where) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const chain = new ChainStore(where === 'without one' ? undefined : directory);
    const used = async (): Promise<number> => {
      collect();
      // The memory of buffers is released in the background, after the collection that found them.
      await setTimeout(50);
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    grow(chain, 1_000);
    const before = await used();
    grow(chain, 4_000);
    expect((await used()) - before).toBeLessThan(1_000_000);
    expect(chain.headHeight).toBe(5_000n);
  });
});
