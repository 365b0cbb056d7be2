import type { BlockChecks, CheckResult, DecodedBlock } from './block.js';
import { encodeHeader, hashData, hashHeader, hashTransactions } from './block-encoding.js';
import { addressOf, isSignedBy } from './block-signature.js';

/** A block and the height that was asked for: a damaged header may name another one. */
export interface FetchedBlock {
  readonly height: bigint;
  readonly block: DecodedBlock;
  /** Whether the signature is right, where that was found out before (`isSignedByInBackground`). */
  readonly isSigned?: boolean;
}

/** What the checks of a block need to know of the one before it. */
export interface PreviousBlock {
  readonly height: bigint;
  /** SHA-256 of its header bytes, whether or not that is known to be how the chain hashes; null for retired forms. */
  readonly hash: string | null;
  /** What its successor's `lastDataHash` should be; null without metadata. */
  readonly dataDigest: string | null;
  /** Whether a neighbour has shown that its data, `lastDataHash` included, is as the chain has it. */
  readonly dataConfirmed: boolean;
  readonly checks: BlockChecks;
}

/** A block while it is being checked: `link` and `hash` are open, the rest is what its own bytes say. */
export interface BlockDraft extends PreviousBlock {
  readonly headerBytes: number;
  readonly lastHeaderHash: string;
  /** Null without metadata. */
  readonly lastDataHash: string | null;
  dataConfirmed: boolean;
  readonly checks: { -readonly [K in keyof BlockChecks]: CheckResult };
}

/** Does all that can be done with a block alone. */
export function draftBlock({ height, block, isSigned }: FetchedBlock): BlockDraft {
  const { header, metadata } = block;
  const encoded = encodeHeader(header);
  const isGenesis = header.lastHeaderHash === '' && metadata?.lastDataHash === '';
  return {
    height,
    headerBytes: encoded.length,
    hash: header.unknownFields ? null : hashHeader(encoded),
    lastHeaderHash: header.lastHeaderHash,
    dataDigest: metadata ? hashData(block) : null,
    lastDataHash: metadata ? metadata.lastDataHash : null,
    dataConfirmed: isGenesis,
    checks: {
      link: 'NOT_CHECKED',
      hash: 'NOT_CHECKED',
      signature: header.unknownFields ? 'NOT_CHECKED' : resultOf(isSigned ?? isSignedBy(block, encoded)),
      proposer: resultOf(hasRightProposer(block)),
      data: resultOf(hasRightData(block)),
    },
  };
}

/** Whether `later` is the child of `earlier` by height. */
export function isPair(earlier: PreviousBlock, later: PreviousBlock): boolean {
  return later.height === earlier.height + 1n;
}

/** The part of a draft that the checks of the next block need. */
export function rememberBlock(draft: BlockDraft): PreviousBlock {
  const { height, hash, dataDigest, dataConfirmed, checks } = draft;
  return { height, hash, dataDigest, dataConfirmed, checks: { ...checks } };
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
