import { toHeight } from '../domain/bounds.js';
import type { BlockHeader, DecodedBlock } from '../domain/blocks/block.js';
import type { NodeShape } from '../domain/events.js';
import { detectEncoding, readHex, toBytes, type BytesEncoding } from './wire-bytes.js';
import {
  isObject,
  member,
  readObject,
  readChainId,
  readTimeNs,
  readUint64,
  snakeCase,
  UnreadableField,
  type WireObject,
} from './wire-values.js';

/** A block and its shape, or the field that could not be read. */
export type BlockDecoding =
  | { readonly ok: true; readonly block: DecodedBlock; readonly shape: NodeShape }
  | { readonly ok: false; readonly field: string; readonly detail: string };

/** More than any block that fits into a DA blob; an answer with more transactions is refused before they are decoded. */
const MAX_TRANSACTIONS = 200_000;
/** Bytes of a hash or an address in any known scheme, with room to spare; the database cannot index long values. */
const LONGEST_HASH = 256;

const HEADER_FIELDS = [
  'version',
  'height',
  'time',
  'lastHeaderHash',
  'dataHash',
  'appHash',
  'proposerAddress',
  'validatorHash',
  'chainId',
] as const;
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([...HEADER_FIELDS, ...HEADER_FIELDS.map(snakeCase)]);

/**
 * Reads the answer to GetBlock in either shape. The specification's shape is snake_case with integers. The real node's shape is
 * camelCase with 64-bit integers as text and base64, and leaves zero values out.
 */
export function decodeBlock(answer: unknown): BlockDecoding {
  try {
    if (!isObject(answer)) throw new UnreadableField('answer', 'is not an object');
    return readBlock(answer);
  } catch (error) {
    if (error instanceof UnreadableField) return { ok: false, field: error.field, detail: error.message };
    throw error;
  }
}

function readBlock(answer: WireObject): BlockDecoding {
  const block = readObject(answer, 'block');
  const signed = readObject(block, 'header');
  const header = readObject(signed, 'header');
  const signer = readObject(signed, 'signer');
  const data = readObject(block, 'data');
  if (member(header, 'height') === undefined) throw new UnreadableField('height', 'is missing');
  const encoding = detectEncoding([
    member(header, 'dataHash'),
    member(header, 'lastHeaderHash'),
    member(header, 'proposerAddress'),
    member(signed, 'signature'),
  ]);
  const decoded: DecodedBlock = {
    header: readHeader(header, encoding),
    signature: readHex(signed, 'signature', encoding),
    signerAddress: readHex(signer, 'address', encoding),
    signerPubKey: readHex(signer, 'pubKey', encoding),
    metadata: readMetadata(data, encoding),
    transactions: readTransactions(data, encoding),
    ...readDaHeights(answer),
  };
  return { ok: true, block: decoded, shape: shapeOf(answer, header) };
}

type BlockDaHeights = Pick<DecodedBlock, 'headerDaHeight' | 'dataDaHeight' | 'shownDaHeights'>;

/** A DA height of 0 means "not yet", and so does a missing height. An impossible height is null, and kept in `shownDaHeights`. */
function readDaHeights(answer: WireObject): BlockDaHeights {
  const read = (name: string): bigint | null => readUint64(answer, name) || null;
  const [header, data] = [read('headerDaHeight'), read('dataDaHeight')];
  const [headerDaHeight, dataDaHeight] = [toHeight(header), toHeight(data)];
  const isOdd = headerDaHeight !== header || dataDaHeight !== data;
  return { headerDaHeight, dataDaHeight, ...(isOdd && { shownDaHeights: [header, data] }) };
}

function readHeader(header: WireObject, encoding: BytesEncoding | null): BlockHeader {
  const version = readObject(header, 'version');
  return {
    versionBlock: readUint64(version, 'block'),
    versionApp: readUint64(version, 'app'),
    height: readUint64(header, 'height'),
    timeNs: readTimeNs(header, 'time'),
    lastHeaderHash: readHex(header, 'lastHeaderHash', encoding, LONGEST_HASH),
    dataHash: readHex(header, 'dataHash', encoding, LONGEST_HASH),
    appHash: readHex(header, 'appHash', encoding, LONGEST_HASH),
    proposerAddress: readHex(header, 'proposerAddress', encoding, LONGEST_HASH),
    validatorHash: readHex(header, 'validatorHash', encoding, LONGEST_HASH),
    chainId: readChainId(header, 'chainId'),
    unknownFields: Object.keys(header).some((name) => !KNOWN_MEMBERS.has(name) && !isZero(header[name])),
  };
}

function readMetadata(data: WireObject, encoding: BytesEncoding | null): DecodedBlock['metadata'] {
  if (member(data, 'metadata') === undefined) return null;
  const metadata = readObject(data, 'metadata');
  return {
    chainId: readChainId(metadata, 'chainId'),
    height: readUint64(metadata, 'height'),
    timeNs: readTimeNs(metadata, 'time'),
    lastDataHash: readHex(metadata, 'lastDataHash', encoding),
  };
}

function readTransactions(data: WireObject, encoding: BytesEncoding | null): Uint8Array[] {
  const transactions = member(data, 'txs') ?? [];
  if (!Array.isArray(transactions)) throw new UnreadableField('txs', 'is not a list');
  if (transactions.length > MAX_TRANSACTIONS) {
    throw new UnreadableField('txs', `holds more than ${MAX_TRANSACTIONS} transactions`);
  }
  return transactions.map((transaction, index) =>
    toBytes(transaction, `txs[${index}]`, encoding ?? 'base64'),
  );
}

/** Snake_case names mark the specification's shape; names of one word say nothing. */
function shapeOf(answer: WireObject, header: WireObject): NodeShape {
  const isSnake = [answer, header].some((object) => Object.keys(object).some((name) => name.includes('_')));
  return isSnake ? 'SPEC' : 'EV_NODE';
}

function isZero(value: unknown): boolean {
  return value === null || value === '' || value === 0 || value === '0' || value === false;
}
