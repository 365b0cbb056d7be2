import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import {
  encodeHeader,
  hashData,
  hashHeader,
  hashTransactions,
} from '../../src/domain/blocks/block-encoding.js';
import { addressOf } from '../../src/domain/blocks/block-signature.js';
import type { BlockHeader, DecodedBlock } from '../../src/domain/blocks/block.js';

interface ChainOptions {
  chainId?: string;
  /** Chains with different salts have different blocks. */
  salt?: string;
  /** Earlier blocks of the chain. */
  after?: readonly DecodedBlock[];
  count: number;
  firstHeight?: bigint;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const TIME_NS = 1_795_239_783_000_000_000n;

/** Builds blocks with true hashes, links and signatures, none of them included yet. */
export function buildChain({
  chainId = 'test-1',
  salt = '',
  after = [],
  count,
  firstHeight = 1n,
}: ChainOptions) {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, createHash('sha256').update(`${chainId} key`).digest()]),
    format: 'der',
    type: 'pkcs8',
  });
  const blocks = [...after];
  for (let made = 0; made < count; made++) {
    const parent = blocks.at(-1);
    const height = parent ? parent.header.height + 1n : firstHeight;
    blocks.push(buildBlock({ chainId, salt, height, parent, key }));
  }
  return blocks;
}

function buildBlock(options: {
  chainId: string;
  salt: string;
  height: bigint;
  parent: DecodedBlock | undefined;
  key: KeyObject;
}): DecodedBlock {
  const { chainId, salt, height, parent, key } = options;
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const signerPubKey = `08011220${spki.subarray(-32).toString('hex')}`;
  const signerAddress = addressOf(signerPubKey) ?? '';
  const count = Number(height % 3n);
  const transactions = Array.from({ length: count }, (_, index) => Buffer.from(`${salt}${height}-${index}`));
  // Times stay in the range of a clock, however high a chain begins.
  const timeNs = TIME_NS + (height % 1_000_000n) * 500_000_000n;
  const header: BlockHeader = {
    versionBlock: 0n,
    versionApp: 0n,
    height,
    timeNs,
    lastHeaderHash: parent ? hashHeader(encodeHeader(parent.header)) : '',
    dataHash: hashTransactions(transactions),
    appHash: createHash('sha256').update(`${salt}${height}`).digest('hex'),
    proposerAddress: signerAddress,
    validatorHash: '',
    chainId,
    unknownFields: false,
  };
  return {
    header,
    signature: sign(null, encodeHeader(header), key).toString('hex'),
    signerAddress,
    signerPubKey,
    metadata: { chainId, height, timeNs, lastDataHash: parent ? hashData(parent) : '' },
    transactions,
    headerDaHeight: null,
    dataDaHeight: null,
  };
}

/** The answer to GetBlock in the real node's shape. */
export function writeBlock(block: DecodedBlock): string {
  const base64 = (hex: string): string | undefined =>
    hex ? Buffer.from(hex, 'hex').toString('base64') : undefined;
  const { header, metadata } = block;
  return JSON.stringify({
    block: {
      header: {
        header: {
          version: {},
          height: String(header.height),
          time: String(header.timeNs),
          lastHeaderHash: base64(header.lastHeaderHash),
          dataHash: base64(header.dataHash),
          appHash: base64(header.appHash),
          proposerAddress: base64(header.proposerAddress),
          chainId: header.chainId,
        },
        signature: base64(block.signature),
        signer: { address: base64(block.signerAddress), pubKey: base64(block.signerPubKey) },
      },
      data: {
        metadata: metadata && {
          chainId: metadata.chainId,
          height: String(metadata.height),
          time: String(metadata.timeNs),
          lastDataHash: base64(metadata.lastDataHash),
        },
        txs: block.transactions.map((bytes) => Buffer.from(bytes).toString('base64')),
      },
    },
    headerDaHeight: block.headerDaHeight === null ? undefined : String(block.headerDaHeight),
    dataDaHeight: block.dataDaHeight === null ? undefined : String(block.dataDaHeight),
  });
}
