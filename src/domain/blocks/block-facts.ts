import { readInteger } from '../bounds.js';
import { EMPTY_DATA_HASH, encodeHeader, hashHeader, headerBlobBytes } from './block-encoding.js';
import { addressOf } from './block-signature.js';
import type { CheckResults, BlockHeader, BlockRecord } from './block.js';
import {
  base64ToHex,
  type PackedColumn,
  type IntegerColumn,
  remembered,
  unpackIntegers,
  valueAt,
} from './packed-columns.js';

/**
 * Blocks as stored in an event: a column per field, lowest height first. Values that can be computed from the others are
 * omitted (hashes, addresses, links, sizes of header blobs). Byte strings are base64 without padding.
 */
export interface PackedBlocks {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** Omitted when they run from `from` to `to` without a gap. */
  readonly heights?: IntegerColumn;
  /** Heights in damaged headers that differ from the requested height, by index. */
  readonly shownHeights?: Readonly<Record<string, string>>;
  readonly chainId: PackedColumn<string>;
  readonly versionBlock?: PackedColumn<string>;
  readonly versionApp?: PackedColumn<string>;
  /** Unix nanoseconds. */
  readonly times: IntegerColumn;
  /** Keyed by index, only if it is not the computed hash of the previous block in this list. */
  readonly lastHeaderHashes?: Readonly<Record<string, string>>;
  /** 0: the hash of an empty list of transactions. */
  readonly dataHashes: PackedColumn<string | 0>;
  /** Null: the same as in the previous block. */
  readonly appHashes: PackedColumn<string | null>;
  /** Omitted: the address that belongs to the signer's key. */
  readonly proposers?: PackedColumn<string>;
  readonly validatorHashes?: PackedColumn<string>;
  readonly signatures: PackedColumn<string>;
  readonly signerKeys: PackedColumn<string>;
  /** Omitted: the proposer. */
  readonly signers?: PackedColumn<string>;
  readonly txCounts: PackedColumn<number>;
  readonly txBytes: PackedColumn<number>;
  /** Omitted: as computed. */
  readonly headerBlobBytes?: PackedColumn<number | null>;
  readonly dataBlobBytes: PackedColumn<number | null>;
  /** Omitted: not included yet. */
  readonly headerDaHeights?: IntegerColumn;
  readonly dataDaHeights?: IntegerColumn;
  /** DA heights as sent, by index, for blocks where one of them cannot be a DA height. */
  readonly shownDaHeights?: Readonly<Record<string, readonly [string | null, string | null]>>;
  /** Headers with retired fields. */
  readonly retired?: PackedColumn<boolean>;
  /** Blocks whose hash is unknown, because their scheme is. */
  readonly unhashed?: PackedColumn<boolean>;
  /** Checks that did not pass: the usual ones of these blocks, and by index those of the blocks that differ. */
  readonly usualChecks?: Partial<CheckResults>;
  readonly checks?: Readonly<Record<string, Partial<CheckResults>>>;
  /** Results of these blocks for the block before `from`. Omitted: its `hash` PASSED if the first `link` did. */
  readonly late?: Partial<CheckResults>;
  /** Keyed by index, only if the settings require them: SHA-256 hashes, or whole transactions. */
  readonly txHashes?: Readonly<Record<string, readonly string[]>>;
  readonly txs?: Readonly<Record<string, readonly string[]>>;
}

/** Results of an event's blocks for an earlier block. */
export interface LateChecks {
  readonly height: bigint;
  readonly checks: Partial<CheckResults>;
}

const ALL_PASSED: CheckResults = {
  link: 'PASSED',
  hash: 'PASSED',
  signature: 'PASSED',
  proposer: 'PASSED',
  data: 'PASSED',
};

/** The blocks exactly as they were packed. Takes a few microseconds per block, most of it for hashing. */
export function unpackBlocks(packed: PackedBlocks): BlockRecord[] {
  const columns = readColumns(packed);
  const blocks: BlockRecord[] = [];
  let before: { hash: string; appHash: string } = { hash: '', appHash: '' };
  for (let index = 0; index < packed.count; index++) {
    const header = unpackHeader(packed, columns, index, before);
    const shown = packed.shownHeights?.[index];
    const shownHeight = shown === undefined ? undefined : (readInteger(shown) ?? 0n);
    const encoded = encodeHeader(shownHeight === undefined ? header : { ...header, height: shownHeight });
    before = { hash: hashHeader(encoded), appHash: header.appHash };
    const isUnhashed = valueAt(packed.unhashed, index, header.unknownFields);
    const signature = columns.signature(index);
    const signerPubKey = columns.signerKey(index);
    const signerAddress = columns.signer(index);
    const size = isUnhashed
      ? null
      : headerBlobBytes(encoded.length, signature, { signerAddress, signerPubKey });
    blocks.push({
      header,
      ...(shownHeight !== undefined && { shownHeight }),
      signature,
      signerAddress,
      signerPubKey,
      hash: isUnhashed ? null : before.hash,
      txCount: valueAt(packed.txCounts, index, 0),
      txBytes: valueAt(packed.txBytes, index, 0),
      headerBlobBytes: valueAt(packed.headerBlobBytes, index, size),
      dataBlobBytes: valueAt(packed.dataBlobBytes, index, null),
      headerDaHeight: columns.headerDaHeights?.[index] ?? null,
      dataDaHeight: columns.dataDaHeights?.[index] ?? null,
      checks: unpackChecks(packed, index),
      ...unpackShownDaHeights(packed, index),
      ...unpackTransactions(packed, index),
    });
  }
  return blocks;
}

/** Results of the event for the block before its first one; undefined if there are none. */
export function lateChecksOf(packed: PackedBlocks): LateChecks | undefined {
  const isLinked = packed.count > 0 && unpackChecks(packed, 0).link === 'PASSED';
  const checks = packed.late ?? (isLinked ? { hash: 'PASSED' as const } : undefined);
  return checks && { height: (readInteger(packed.from) ?? 0n) - 1n, checks };
}

type Columns = ReturnType<typeof readColumns>;

function readColumns(packed: PackedBlocks) {
  const first = readInteger(packed.from) ?? 0n;
  const heights = packed.heights && unpackIntegers(packed.heights);
  const times = unpackIntegers(packed.times);
  const signerKey = hexColumn(packed.signerKeys);
  const ownAddress = remembered((key: string) => addressOf(key) ?? '');
  const proposer =
    packed.proposers === undefined
      ? (index: number) => ownAddress(signerKey(index))
      : hexColumn(packed.proposers);
  return {
    height: (index: number) => (heights ? (heights[index] ?? 0n) : first + BigInt(index)),
    time: (index: number) => times[index] ?? 0n,
    signature: hexColumn(packed.signatures),
    signerKey,
    proposer,
    signer: packed.signers === undefined ? proposer : hexColumn(packed.signers),
    validatorHash: hexColumn(packed.validatorHashes ?? ''),
    headerDaHeights: packed.headerDaHeights && unpackIntegers(packed.headerDaHeights),
    dataDaHeights: packed.dataDaHeights && unpackIntegers(packed.dataDaHeights),
  };
}

function unpackHeader(
  packed: PackedBlocks,
  columns: Columns,
  index: number,
  before: { hash: string; appHash: string },
): BlockHeader {
  const lastHeaderHash = packed.lastHeaderHashes?.[index];
  const dataHash = valueAt<string | 0>(packed.dataHashes, index, '');
  const appHash = valueAt(packed.appHashes, index, null);
  return {
    versionBlock: readInteger(valueAt(packed.versionBlock, index, '0')) ?? 0n,
    versionApp: readInteger(valueAt(packed.versionApp, index, '0')) ?? 0n,
    height: columns.height(index),
    timeNs: columns.time(index),
    lastHeaderHash: lastHeaderHash === undefined ? before.hash : base64ToHex(lastHeaderHash),
    dataHash: dataHash === 0 ? EMPTY_DATA_HASH : base64ToHex(dataHash),
    appHash: appHash === null ? before.appHash : base64ToHex(appHash),
    proposerAddress: columns.proposer(index),
    validatorHash: columns.validatorHash(index),
    chainId: valueAt(packed.chainId, index, ''),
    unknownFields: valueAt(packed.retired, index, false),
  };
}

function unpackChecks(packed: PackedBlocks, index: number): CheckResults {
  const differing = packed.checks?.[index] ?? packed.usualChecks;
  return differing ? { ...ALL_PASSED, ...differing } : ALL_PASSED;
}

function unpackShownDaHeights(packed: PackedBlocks, index: number): Pick<BlockRecord, 'shownDaHeights'> {
  const shown = packed.shownDaHeights?.[index];
  if (!shown) return {};
  const [header, data] = shown.map((text) => (text === null ? null : readInteger(text)));
  return { shownDaHeights: [header ?? null, data ?? null] };
}

function unpackTransactions(packed: PackedBlocks, index: number): Pick<BlockRecord, 'transactions'> {
  const hashes = packed.txHashes?.[index];
  if (hashes) return { transactions: { kind: 'hashes', values: hashes.map(base64ToHex) } };
  const full = packed.txs?.[index];
  return full ? { transactions: { kind: 'full', values: full.map(base64ToHex) } } : {};
}

/** A column of byte strings, in hex. A single value for all blocks is converted once. */
function hexColumn(column: PackedColumn<string>): (index: number) => string {
  const toHex = typeof column === 'string' ? remembered(base64ToHex) : base64ToHex;
  return (index) => toHex(valueAt(column, index, ''));
}
