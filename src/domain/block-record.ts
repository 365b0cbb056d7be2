import { hash as digest } from 'node:crypto';
import type { FetchedBlock } from './block-draft.js';
import type { BlockRecord } from './block.js';
import { dataBlobBytes, headerBlobBytes, transactionBytes } from './block-sizes.js';
import type { VerifiedBlock } from './verify-block.js';

/** What is kept of a block's transactions: nothing but their number and bytes, their SHA-256 hashes, or all of them. */
export type KeptTransactions = 'none' | 'hashes' | 'full';

/** A fetched and verified block as it is kept. Its blob sizes are null where its hash is: the scheme is not known. */
export function recordBlock(
  fetched: FetchedBlock,
  verified: VerifiedBlock,
  keep: KeptTransactions,
): BlockRecord {
  const { height, block } = fetched;
  const { header, signature, signerAddress, signerPubKey, transactions } = block;
  const isKnown = verified.hash !== null;
  return {
    header: { ...header, height },
    ...(header.height !== height && { shownHeight: header.height }),
    signature,
    signerAddress,
    signerPubKey,
    hash: verified.hash,
    txCount: transactions.length,
    txBytes: transactionBytes(transactions),
    headerBlobBytes: isKnown ? headerBlobBytes(verified.headerBytes, signature, block) : null,
    dataBlobBytes: isKnown ? dataBlobBytes(block, block) : null,
    headerDaHeight: block.headerDaHeight,
    dataDaHeight: block.dataDaHeight,
    checks: verified.checks,
    ...keptTransactions(transactions, keep),
  };
}

function keptTransactions(
  transactions: readonly Uint8Array[],
  keep: KeptTransactions,
): Pick<BlockRecord, 'transactions'> {
  if (keep === 'none') return {};
  const values = transactions.map((bytes) =>
    keep === 'hashes' ? digest('sha256', bytes, 'hex') : Buffer.from(bytes).toString('hex'),
  );
  return { transactions: { kind: keep, values } };
}
