import { fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';

/** Byte offsets in a block's cell; each number has 8 bytes, little-endian. */
const CELL_FIELDS = {
  /** Offset of the block's line in the log, in bytes from the start, and its length in bytes. */
  offset: 0,
  bytes: 8,
  transactions: 16,
  /** DA heights; 0 before there is one. */
  'posted header': 24,
  'posted data': 32,
  'included header': 40,
  'included data': 48,
  /** The first 8 bytes of its hashes. */
  hash: 56,
  signedHash: 64,
} as const;

/** Byte offsets of the chain's numbers, in the cell before the first block's. */
const CHAIN_FIELDS = {
  magic: 0,
  /** Bytes of the log that the index covers. */
  logEnd: 8,
  head: 16,
  newestDaHeight: 24,
  d: 32,
  'last-submitted-header-height': 40,
  'last-submitted-data-height': 48,
  gdh: 56,
} as const;

export type CellField = keyof typeof CELL_FIELDS;
export type ChainField = Exclude<keyof typeof CHAIN_FIELDS, 'magic'>;

const CELL_BYTES = 72;
const CELLS_AT_ONCE = 1_000;
/** `devnode1`: another layout gets another number. */
const MAGIC = Buffer.from('devnode1').readBigUInt64LE();

/** An index of a chain's log. Each height has a cell of fixed size, so that no cell has to be in memory. */
export class ChainIndex {
  private readonly chain = Buffer.alloc(CELL_BYTES);

  /** Opens the index in an open file. A file that is empty, damaged, or of a longer log than `logBytes` is cleared. */
  constructor(
    private readonly file: number,
    logBytes: number,
  ) {
    const bytes = readSync(file, this.chain, 0, CELL_BYTES, 0);
    const isWhole = fstatSync(file).size >= (Number(this.getOfChain('head')) + 1) * CELL_BYTES;
    const isOurs = bytes === CELL_BYTES && this.chain.readBigUInt64LE(CHAIN_FIELDS.magic) === MAGIC;
    if (isOurs && isWhole && this.getOfChain('logEnd') <= BigInt(logBytes)) return;
    ftruncateSync(file);
    this.chain.fill(0).writeBigUInt64LE(MAGIC, CHAIN_FIELDS.magic);
  }

  getOfChain(field: ChainField): bigint {
    return this.chain.readBigUInt64LE(CHAIN_FIELDS[field]);
  }

  /** Written to the file by `keep`. */
  setOfChain(field: ChainField, value: bigint): void {
    this.chain.writeBigUInt64LE(value, CHAIN_FIELDS[field]);
  }

  keep(): void {
    writeAt(this.file, this.chain, 0);
  }

  /** 0 when there is no value, and for a block that does not exist. */
  get(height: bigint, field: CellField): bigint {
    if (height < 1n || height > this.getOfChain('head')) return 0n;
    return readAt(this.file, 8, placeOf(height) + CELL_FIELDS[field]).readBigUInt64LE();
  }

  set(height: bigint, field: CellField, value: bigint): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value);
    writeAt(this.file, bytes, placeOf(height) + CELL_FIELDS[field]);
  }

  /** Writes all numbers of a new block. */
  setCell(height: bigint, values: Readonly<Record<CellField, bigint>>): void {
    const bytes = Buffer.alloc(CELL_BYTES);
    for (const [field, value] of Object.entries(values)) {
      bytes.writeBigUInt64LE(value, CELL_FIELDS[field as CellField]);
    }
    writeAt(this.file, bytes, placeOf(height));
  }

  /** The newest height with this start of a hash, or undefined. Reads every cell in the worst case: half a million in 0.1 s. */
  findByHash(start: Buffer, field: 'hash' | 'signedHash'): bigint | undefined {
    for (let end = Number(this.getOfChain('head')) + 1; end > 1;) {
      const first = Math.max(1, end - CELLS_AT_ONCE);
      const cells = readAt(this.file, (end - first) * CELL_BYTES, first * CELL_BYTES);
      for (
        let at = cells.lastIndexOf(start);
        at >= 0;
        at = at === 0 ? -1 : cells.lastIndexOf(start, at - 1)
      ) {
        if (at % CELL_BYTES === CELL_FIELDS[field]) return BigInt(first + Math.floor(at / CELL_BYTES));
      }
      end = first;
    }
    return undefined;
  }
}

function placeOf(height: bigint): number {
  return Number(height) * CELL_BYTES;
}

/** @throws Error where the file has fewer bytes */
export function readAt(file: number, bytes: number, position: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  if (readSync(file, buffer, 0, bytes, position) < bytes)
    throw new Error('The chain of this devnode is cut off.');
  return buffer;
}

/** @throws Error where not all of it could be written */
export function writeAt(file: number, bytes: Buffer, position: number): void {
  if (writeSync(file, bytes, 0, bytes.length, position) < bytes.length) throw new Error('The disk is full.');
}
