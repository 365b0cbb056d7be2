import { hash as digest } from 'node:crypto';
import {
  dataBlobBytes,
  encodeHeader,
  hashData,
  hashHeader,
  hashTransactions,
  headerBlobBytes,
  transactionBytes,
} from './block-encoding.js';
import { addressOf, isSignedBy } from './block-signature.js';
import type { CheckResults, BlockRecord, CheckResult, DecodedBlock } from './block.js';

/** A block and the requested height: a damaged header may contain another one. */
export interface FetchedBlock {
  readonly height: bigint;
  readonly block: DecodedBlock;
}

/** The stored part of a block's transactions: only their number and bytes, their SHA-256 hashes, or all of them. */
export type StoredTransactions = 'none' | 'hashes' | 'full';

/** The part of the previous block that checks need. */
export interface PreviousBlock {
  readonly height: bigint;
  /** SHA-256 of its header bytes, whether or not that is known to be how the chain hashes; null for retired forms. */
  readonly hash: string | null;
  /** Expected `lastDataHash` of its successor; null without metadata. */
  readonly dataDigest: string | null;
  /** Whether a neighbour has confirmed its data, `lastDataHash` included. */
  readonly dataConfirmed: boolean;
  readonly checks: CheckResults;
}

/** A block whose own bytes were checked, without its transactions unless they are kept. `link` and `hash` are undecided. */
export interface BlockDraft extends PreviousBlock {
  /** Null without metadata. */
  readonly lastDataHash: string | null;
  readonly content: Omit<BlockRecord, 'hash' | 'checks'>;
}

/** Does everything that needs only the block itself. */
export function draftBlock(fetched: FetchedBlock, keep: StoredTransactions = 'none'): BlockDraft {
  const encoded = encodeHeader(fetched.block.header);
  return draft(fetched, keep, encoded, isSignedBy(fetched.block, encoded));
}

/** Checks whether a signer signed these header bytes, now or later; see `isSignedByInBackground`. */
export type SignatureCheck = (signed: SignedBy, header: Uint8Array) => Promise<boolean>;
type SignedBy = Pick<DecodedBlock, 'signature' | 'signerPubKey'>;

/** `draftBlock` with the signature checked elsewhere. The transactions are not kept in memory until that is done. */
export function draftBlockWith(
  check: SignatureCheck,
  fetched: FetchedBlock,
  keep: StoredTransactions,
): Promise<BlockDraft> {
  const { signature, signerPubKey, header } = fetched.block;
  const encoded = encodeHeader(header);
  const unsigned = draft(fetched, keep, encoded, false);
  if (header.unknownFields) return Promise.resolve(unsigned);
  return check({ signature, signerPubKey }, encoded).then((isSigned) => withSignature(unsigned, isSigned));
}

/** Whether `later` is the child of `earlier` by height. */
export function isPair(earlier: PreviousBlock, later: PreviousBlock): boolean {
  return later.height === earlier.height + 1n;
}

function draft(
  fetched: FetchedBlock,
  keep: StoredTransactions,
  encoded: Buffer,
  isSigned: boolean,
): BlockDraft {
  const { height, block } = fetched;
  const { header, metadata } = block;
  return {
    height,
    hash: header.unknownFields ? null : hashHeader(encoded),
    dataDigest: metadata ? hashData(block) : null,
    lastDataHash: metadata ? metadata.lastDataHash : null,
    // Nothing comes before the first block.
    dataConfirmed: header.lastHeaderHash === '' && metadata?.lastDataHash === '',
    content: contentOf(fetched, keep, encoded.length),
    checks: {
      link: 'NOT_CHECKED',
      hash: 'NOT_CHECKED',
      signature: header.unknownFields ? 'NOT_CHECKED' : resultOf(isSigned),
      proposer: resultOf(hasRightProposer(block)),
      data: resultOf(hasRightData(block)),
    },
  };
}

function withSignature(unsigned: BlockDraft, isSigned: boolean): BlockDraft {
  return { ...unsigned, checks: { ...unsigned.checks, signature: resultOf(isSigned) } };
}

function contentOf({ height, block }: FetchedBlock, keep: StoredTransactions, headerBytes: number) {
  const { header, signature, signerAddress, signerPubKey, transactions } = block;
  return {
    header: { ...header, height },
    ...(header.height !== height && { shownHeight: header.height }),
    signature,
    signerAddress,
    signerPubKey,
    txCount: transactions.length,
    txBytes: transactionBytes(transactions),
    headerBlobBytes: headerBlobBytes(headerBytes, signature, block),
    dataBlobBytes: dataBlobBytes(block, block),
    headerDaHeight: block.headerDaHeight,
    dataDaHeight: block.dataDaHeight,
    ...(block.shownDaHeights && { shownDaHeights: block.shownDaHeights }),
    ...(keep !== 'none' && { transactions: keepTransactions(transactions, keep) }),
  };
}

function keepTransactions(transactions: readonly Uint8Array[], kind: 'hashes' | 'full') {
  const values = transactions.map((bytes) =>
    kind === 'hashes' ? digest('sha256', bytes, 'hex') : Buffer.from(bytes).toString('hex'),
  );
  return { kind, values };
}

function hasRightProposer(block: DecodedBlock): boolean {
  const address = addressOf(block.signerPubKey);
  return address !== null && block.header.proposerAddress === address && block.signerAddress === address;
}

function hasRightData({ header, metadata, transactions }: DecodedBlock): boolean {
  const doesRepeatHeader =
    metadata === null ||
    (metadata.chainId === header.chainId &&
      metadata.height === header.height &&
      metadata.timeNs === header.timeNs);
  return doesRepeatHeader && header.dataHash === hashTransactions(transactions);
}

function resultOf(isRight: boolean): CheckResult {
  return isRight ? 'PASSED' : 'FAILED';
}
