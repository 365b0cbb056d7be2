import { loadRecordedBlocks } from '../../../test/support/recorded-blocks.js';
import type { CheckResults, DecodedBlock } from './block.js';
import { draftBlock, type BlockDraft } from './block-draft.js';
import { NOTHING_PROVEN, verifyBlocks, type ProvenChecks } from './verify-block.js';

const blocks = loadRecordedBlocks('aggregator');
const ALL_PASSED: CheckResults = {
  link: 'PASSED',
  hash: 'PASSED',
  signature: 'PASSED',
  proposer: 'PASSED',
  data: 'PASSED',
};
const ALL_PROVEN: ProvenChecks = { link: true, signature: true, proposer: true, data: true, lastData: true };

const known = new Map<DecodedBlock, BlockDraft>();

/** Drafts a block; each recorded block only once, since signatures take time. */
function draft(block: DecodedBlock, height: bigint): BlockDraft {
  const made = known.get(block) ?? draftBlock({ height, block });
  if (blocks.includes(block)) known.set(block, made);
  return made.height === height ? made : draftBlock({ height, block });
}

function verify(run: readonly DecodedBlock[], proven = NOTHING_PROVEN, first = run[0]?.header.height ?? 0n) {
  const fetched = run.map((block, index) => draft(block, first + BigInt(index)));
  return verifyBlocks(fetched, { previous: null, proven });
}

function flipHex(value: string, bit: number): string {
  const bytes = Buffer.from(value, 'hex');
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return bytes.toString('hex');
}

type Failing = (keyof CheckResults)[];
interface Damage {
  name: string;
  bits: number;
  apply(block: DecodedBlock, bit: number): DecodedBlock;
  fails: Failing;
}

const headerHex = (
  field: 'dataHash' | 'appHash' | 'proposerAddress' | 'lastHeaderHash',
  fails: Failing,
): Damage => ({
  name: field,
  bits: 256,
  apply: (block, bit) => ({
    ...block,
    header: { ...block.header, [field]: flipHex(block.header[field], bit) },
  }),
  fails,
});
const headerNumber = (
  field: 'versionBlock' | 'versionApp' | 'height' | 'timeNs',
  fails: Failing,
): Damage => ({
  name: field,
  bits: 64,
  apply: (block, bit) => ({
    ...block,
    header: { ...block.header, [field]: block.header[field] ^ (1n << BigInt(bit)) },
  }),
  fails,
});
const signer = (
  field: 'signature' | 'signerAddress' | 'signerPubKey',
  bits: number,
  fails: Failing,
): Damage => ({
  name: field,
  bits,
  apply: (block, bit) => ({ ...block, [field]: flipHex(block[field], bit) }),
  fails,
});
const metadata = (field: string, bits: number, flip: (value: never, bit: number) => unknown): Damage => ({
  name: `metadata ${field}`,
  bits,
  apply: (block, bit) => {
    const value = block.metadata as NonNullable<DecodedBlock['metadata']>;
    return {
      ...block,
      metadata: { ...value, [field]: flip(value[field as keyof typeof value] as never, bit) },
    };
  },
  fails: ['data'],
});
const flipNumber = (value: bigint, bit: number): bigint => value ^ (1n << BigInt(bit));
const flipText = (value: string, bit: number): string =>
  flipHex(Buffer.from(value, 'latin1').toString('hex'), bit).replace(/../g, (hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  );

const DAMAGES: Damage[] = [
  headerNumber('versionBlock', ['hash', 'signature']),
  headerNumber('versionApp', ['hash', 'signature']),
  headerNumber('height', ['hash', 'signature', 'data']),
  headerNumber('timeNs', ['hash', 'signature', 'data']),
  headerHex('lastHeaderHash', ['link', 'hash', 'signature']),
  headerHex('dataHash', ['hash', 'signature', 'data']),
  headerHex('appHash', ['hash', 'signature']),
  headerHex('proposerAddress', ['hash', 'signature', 'proposer']),
  {
    name: 'chainId',
    bits: 40,
    apply: (block, bit) => ({
      ...block,
      header: { ...block.header, chainId: flipText(block.header.chainId, bit) },
    }),
    fails: ['hash', 'signature', 'data'],
  },
  signer('signature', 512, ['signature']),
  signer('signerAddress', 256, ['proposer']),
  signer('signerPubKey', 288, ['signature', 'proposer']),
  metadata('chainId', 40, flipText),
  metadata('height', 64, flipNumber),
  metadata('timeNs', 64, flipNumber),
  metadata('lastDataHash', 256, flipHex),
];

/** Replaces one block of a run with a damaged one and returns the checks of the whole run. */
function checksWith(run: readonly DecodedBlock[], at: number, damaged: DecodedBlock): CheckResults[] {
  const changed = run.map((block, index) => (index === at ? damaged : block));
  return verify(changed, ALL_PROVEN, run[0]?.header.height).blocks.map(({ checks }) => checks);
}

function expectBlame(checks: CheckResults[], at: number, fails: Failing): void {
  const failed = checks.map((one) =>
    Object.keys(one).filter((check) => one[check as keyof CheckResults] === 'FAILED'),
  );
  const expected: string[][] = checks.map(() => []);
  expected[at] = Object.keys(ALL_PASSED).filter((check) => fails.includes(check as keyof CheckResults));
  expect(failed.map((one) => one.sort())).toEqual(expected.map((one) => one.sort()));
}

describe('verifyBlocks', () => {
  it.each([
    ['aggregator', 817],
    ['follower', 785],
  ] as const)('passes every block of the recorded %s', (file, count) => {
    const recorded = loadRecordedBlocks(file);
    const { blocks: verified } = verify(recorded);
    expect(recorded).toHaveLength(count);
    const checks = verified.map((block) => block.checks);
    expect(checks[0]).toEqual({ ...ALL_PASSED, link: 'NOT_CHECKED' });
    expect(checks.at(-1)).toEqual({ ...ALL_PASSED, hash: 'NOT_CHECKED' });
    expect(new Set(checks.slice(1, -1).map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(checks[1])]),
    );
    expect(checks[1]).toEqual(ALL_PASSED);
    expect(verified.slice(0, -1).map(({ hash }) => hash)).toEqual(
      recorded.slice(1).map(({ header }) => header.lastHeaderHash),
    );
  });

  it('gives the same checks block by block, with the last one settled late', () => {
    let context: Parameters<typeof verifyBlocks>[1] = { previous: null, proven: NOTHING_PROVEN };
    for (const [index, block] of blocks.slice(0, 60).entries()) {
      const verified = verifyBlocks([draftBlock({ height: block.header.height, block })], context);
      expect(verified.late).toEqual(index === 0 ? null : { hash: 'PASSED' });
      expect(verified.blocks[0]?.checks).toEqual({
        ...ALL_PASSED,
        hash: 'NOT_CHECKED',
        link: index === 0 ? 'NOT_CHECKED' : 'PASSED',
      });
      context = verified;
    }
  });

  describe.each(DAMAGES)('a flipped bit in $name', (damage) => {
    it('fails the right checks of that block alone, whichever bit it is', () => {
      const run = blocks.slice(40, 45);
      for (let bit = 0; bit < damage.bits; bit++) {
        expectBlame(checksWith(run, 2, damage.apply(run[2] as DecodedBlock, bit)), 2, damage.fails);
      }
    });

    it('fails the right checks in other blocks of the recording', () => {
      for (let at = 2; at < blocks.length - 3; at += 23) {
        const run = blocks.slice(at - 2, at + 3);
        const bit = (at * 31) % damage.bits;
        expectBlame(checksWith(run, 2, damage.apply(run[2] as DecodedBlock, bit)), 2, damage.fails);
      }
    });

    it('is found when blocks come one at a time', () => {
      const run = blocks.slice(80, 84);
      const failed = new Set<string>();
      let context: Parameters<typeof verifyBlocks>[1] = { previous: null, proven: ALL_PROVEN };
      for (const [index, block] of run.entries()) {
        const shown = index === 1 ? damage.apply(block, 3 % damage.bits) : block;
        const verified = verifyBlocks([draftBlock({ height: block.header.height, block: shown })], context);
        for (const [check, result] of Object.entries(verified.blocks[0]?.checks ?? {})) {
          if (result === 'FAILED') failed.add(`${index} ${check}`);
        }
        for (const [check, result] of Object.entries(verified.late ?? {})) {
          if (result === 'FAILED') failed.add(`${index - 1} ${check}`);
        }
        context = verified;
      }
      expect([...failed].sort()).toEqual(damage.fails.map((check) => `1 ${check}`).sort());
    });
  });

  it('fails the data of a block in which any bit of a transaction is flipped, and no neighbour', () => {
    const at = blocks.findIndex(({ transactions }, index) => index > 2 && transactions.length > 3);
    const run = blocks.slice(at - 2, at + 3);
    const block = run[2] as DecodedBlock;
    for (const [number, transaction] of block.transactions.entries()) {
      for (let bit = 0; bit < transaction.length * 8; bit++) {
        const flipped = Buffer.from(flipHex(Buffer.from(transaction).toString('hex'), bit), 'hex');
        const transactions = block.transactions.map((tx, index) => (index === number ? flipped : tx));
        expectBlame(checksWith(run, 2, { ...block, transactions }), 2, ['data']);
      }
    }
  });

  it('treats a check that fails from the first block on as an unknown scheme', () => {
    const otherwise = blocks.slice(0, 20).map((block) => ({ ...block, signature: '00'.repeat(64) }));
    const { blocks: verified, proven } = verify(otherwise);
    expect(proven).toEqual({ ...ALL_PROVEN, signature: false });
    expect(verified[5]?.hash).toBe(blocks[6]?.header.lastHeaderHash);
    expect(verified[5]?.checks).toEqual({ ...ALL_PASSED, signature: 'NOT_CHECKED' });
  });

  it('knows no hash if neither links nor signatures fit', () => {
    const otherwise = blocks.slice(0, 20).map((block) => ({
      ...block,
      signature: '00'.repeat(64),
      header: { ...block.header, lastHeaderHash: '11'.repeat(32) },
    }));
    const { blocks: verified } = verify(otherwise);
    expect(new Set(verified.map(({ hash }) => hash))).toEqual(new Set([null]));
    expect(verified[5]?.checks).toEqual({
      ...ALL_PASSED,
      link: 'NOT_CHECKED',
      hash: 'NOT_CHECKED',
      signature: 'NOT_CHECKED',
    });
  });

  it('checks nothing that depends on the header bytes of a retired form', () => {
    const run = blocks.slice(10, 13).map((block, index) => ({
      ...block,
      header: { ...block.header, unknownFields: index === 1 },
    }));
    const { blocks: verified } = verify(run, ALL_PROVEN);
    expect(verified[1]?.hash).toBeNull();
    expect(verified[1]?.checks).toMatchObject({
      hash: 'NOT_CHECKED',
      signature: 'NOT_CHECKED',
      link: 'PASSED',
    });
    expect(verified[2]?.checks.link).toBe('NOT_CHECKED');
  });

  it('uses the head of the P2P store as a witness for the newest block', () => {
    const run = blocks.slice(0, 5);
    const storeHead = { height: 5n, hash: blocks[5]?.header.lastHeaderHash ?? '' };
    const fetched = run.map((block) => draftBlock({ height: block.header.height, block }));
    const { blocks: verified } = verifyBlocks(fetched, { previous: null, proven: NOTHING_PROVEN, storeHead });
    expect(verified[4]?.checks).toEqual(ALL_PASSED);
  });

  it('compares no block with a block that is not its parent', () => {
    const fetched = [blocks[3] as DecodedBlock, blocks[7] as DecodedBlock].map((block) =>
      draftBlock({ height: block.header.height, block }),
    );
    const { blocks: verified } = verifyBlocks(fetched, { previous: null, proven: ALL_PROVEN });
    expect(verified.map(({ checks }) => [checks.link, checks.hash])).toEqual([
      ['NOT_CHECKED', 'NOT_CHECKED'],
      ['NOT_CHECKED', 'NOT_CHECKED'],
    ]);
  });

  it('finds a broken chain where two authentic blocks do not join', () => {
    const run = [...blocks.slice(20, 23), ...blocks.slice(30, 33)];
    const { blocks: verified } = verify(run, ALL_PROVEN, 21n);
    expect(verified[3]?.checks.link).toBe('FAILED');
    expect(verified[2]?.checks.hash).toBe('NOT_CHECKED');
  });
});
