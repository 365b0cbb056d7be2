import fc from 'fast-check';
import { loadRecordedBlocks } from '../../../test/support/recorded-blocks.js';
import type { BlockRecord, CheckResult } from './block.js';
import { encodeHeader, hashHeader } from './block-encoding.js';
import { lateChecksOf, unpackBlocks, type PackedBlocks } from './block-facts.js';
import { packBlocks } from './pack-blocks.js';
import { draftBlock } from './block-draft.js';
import { NOTHING_PROVEN, verifyBlocks } from './verify-block.js';
import { tries } from '../../../test/support/tries.js';

function recordedBlocks(keep: 'none' | 'hashes' | 'full' = 'none'): BlockRecord[] {
  const drafts = loadRecordedBlocks('aggregator').map((block) =>
    draftBlock({ height: block.header.height, block }, keep),
  );
  return [...verifyBlocks(drafts, { previous: null, proven: NOTHING_PROVEN }).blocks];
}

const throughJson = (packed: PackedBlocks): PackedBlocks =>
  JSON.parse(JSON.stringify(packed)) as PackedBlocks;

const hex = (options: fc.IntArrayConstraints): fc.Arbitrary<string> =>
  fc.uint8Array(options).map((bytes) => Buffer.from(bytes).toString('hex'));
const hash32 = fc.oneof(
  hex({ minLength: 32, maxLength: 32 }),
  hex({ maxLength: 40 }),
  fc.constant('11'.repeat(32)),
);
const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 3n }));
const check = fc.constantFrom<CheckResult>('PASSED', 'FAILED', 'NOT_CHECKED');
const count = fc.nat();

const anyBlock = fc.record(
  {
    header: fc.record({
      versionBlock: uint64,
      versionApp: uint64,
      height: uint64,
      timeNs: uint64,
      lastHeaderHash: hash32,
      dataHash: hash32,
      appHash: hash32,
      proposerAddress: hash32,
      validatorHash: hash32,
      chainId: fc.string(),
      unknownFields: fc.boolean(),
    }),
    shownHeight: uint64,
    signature: hash32,
    signerAddress: hash32,
    signerPubKey: hash32,
    isHashed: fc.boolean(),
    txCount: count,
    txBytes: count,
    headerBlobBytes: fc.option(count),
    dataBlobBytes: fc.option(count),
    headerDaHeight: fc.option(uint64),
    dataDaHeight: fc.option(uint64),
    shownDaHeights: fc.tuple(fc.option(uint64), fc.option(uint64)),
    checks: fc.record({ link: check, hash: check, signature: check, proposer: check, data: check }),
    transactions: fc.record({ kind: fc.constantFrom('hashes', 'full'), values: fc.array(hash32) }),
  },
  {
    requiredKeys: [
      'header',
      'signature',
      'signerAddress',
      'signerPubKey',
      'isHashed',
      'txCount',
      'txBytes',
      'headerBlobBytes',
      'dataBlobBytes',
      'headerDaHeight',
      'dataDaHeight',
      'checks',
    ],
  },
);

function asRecord({
  isHashed,
  ...block
}: typeof anyBlock extends fc.Arbitrary<infer T> ? T : never): BlockRecord {
  const { shownHeight = block.header.height } = block;
  const encoded = encodeHeader({ ...block.header, height: shownHeight });
  return { ...block, hash: isHashed ? hashHeader(encoded) : null };
}

describe('packed blocks', () => {
  it('unpack to the same blocks', () => {
    fc.assert(
      fc.property(fc.array(anyBlock, { minLength: 1, maxLength: 8 }), (drawn) => {
        const blocks = drawn.map(asRecord);
        expect(unpackBlocks(throughJson(packBlocks(blocks)))).toEqual(blocks);
      }),
      tries(150),
    );
  });

  it.each(['none', 'hashes', 'full'] as const)(
    'unpack to the recorded chain exactly, with transactions %s',
    (keep) => {
      const blocks = recordedBlocks(keep);
      for (const size of [1, 7, 500]) {
        const back: BlockRecord[] = [];
        for (let at = 0; at < blocks.length; at += size) {
          back.push(...unpackBlocks(throughJson(packBlocks(blocks.slice(at, at + size)))));
        }
        expect(back).toEqual(blocks);
      }
    },
  );

  it('take at most 250 bytes of JSON a block in a backfill, and 320 in a live event of ten', () => {
    const blocks = recordedBlocks();
    const bytes = (list: BlockRecord[]): number => JSON.stringify(packBlocks(list)).length / list.length;
    expect(bytes(blocks.slice(0, 500))).toBeLessThan(250);
    expect(bytes(blocks.slice(100, 110))).toBeLessThan(320);
  });

  it('store without an extra byte that each block links to the previous one', () => {
    const blocks = recordedBlocks().slice(5, 8);
    const packed = packBlocks(blocks, { hash: 'PASSED' });
    expect(packed.late).toBeUndefined();
    expect(lateChecksOf(packed)).toEqual({ height: 5n, checks: { hash: 'PASSED' } });
  });

  it('keep other late verdicts, and no verdict if there is none', () => {
    const blocks = recordedBlocks().slice(0, 3);
    expect(lateChecksOf(packBlocks(blocks))).toBeUndefined();
    const late = { hash: 'FAILED' as const };
    expect(lateChecksOf(throughJson(packBlocks(blocks, late)))).toEqual({ height: 0n, checks: late });
  });

  it('refuse to be empty', () => {
    expect(() => packBlocks([])).toThrow(RangeError);
  });
});
