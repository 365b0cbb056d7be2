import { withHashes, type ChainBlock } from './block-factory.js';

/** A block as JSON: for a devnode's file, and for followers. 64-bit integers are strings, bytes lower-case hex. */
export interface BlockText {
  chainId: string;
  height: string;
  timeNs: string;
  lastHeaderHash: string;
  dataHash: string;
  appHash: string;
  proposerAddress: string;
  signature: string;
  signerPubKey: string;
  lastDataHash: string;
  transactions: string[];
  daHeights: [header: string, data: string] | null;
}

export function blockToText(block: ChainBlock): BlockText {
  const { header } = block;
  const isIncluded = block.headerDaHeight !== null && block.dataDaHeight !== null;
  return {
    chainId: header.chainId,
    height: String(header.height),
    timeNs: String(header.timeNs),
    lastHeaderHash: header.lastHeaderHash,
    dataHash: header.dataHash,
    appHash: header.appHash,
    proposerAddress: header.proposerAddress,
    signature: block.signature,
    signerPubKey: block.signerPubKey,
    lastDataHash: block.metadata.lastDataHash,
    transactions: block.transactions.map((transaction) => Buffer.from(transaction).toString('hex')),
    daHeights: isIncluded ? [String(block.headerDaHeight), String(block.dataDaHeight)] : null,
  };
}

export function blockFromText(text: BlockText): ChainBlock {
  const height = BigInt(text.height);
  const timeNs = BigInt(text.timeNs);
  return withHashes({
    header: {
      versionBlock: 0n,
      versionApp: 0n,
      height,
      timeNs,
      lastHeaderHash: text.lastHeaderHash,
      dataHash: text.dataHash,
      appHash: text.appHash,
      proposerAddress: text.proposerAddress,
      validatorHash: '',
      chainId: text.chainId,
      unknownFields: false,
    },
    signature: text.signature,
    signerAddress: text.proposerAddress,
    signerPubKey: text.signerPubKey,
    metadata: { chainId: text.chainId, height, timeNs, lastDataHash: text.lastDataHash },
    transactions: text.transactions.map((transaction) => Buffer.from(transaction, 'hex')),
    headerDaHeight: text.daHeights ? BigInt(text.daHeights[0]) : null,
    dataDaHeight: text.daHeights ? BigInt(text.daHeights[1]) : null,
  });
}
