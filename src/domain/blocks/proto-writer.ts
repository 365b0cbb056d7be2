const split = new DataView(new ArrayBuffer(8));

/**
 * Writes protobuf fields into one growing buffer: the few wire forms that block encodings need.
 * Fields with the zero value are left out, as protobuf 3 does.
 */
export class ProtoWriter {
  private bytes: Buffer;
  private length = 0;

  constructor(expectedBytes = 512) {
    this.bytes = Buffer.allocUnsafe(expectedBytes);
  }

  /** An unsigned 64-bit integer field; left out when zero. */
  uint64(field: number, value: bigint): this {
    if (value === 0n) return this;
    this.tag(field, 0);
    this.reserve(10);
    // Two halves as numbers: arithmetic on them is several times faster than on bigints.
    split.setBigUint64(0, value);
    let high = split.getUint32(0);
    let low = split.getUint32(4);
    while (high > 0 || low > 0x7f) {
      this.bytes[this.length++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.bytes[this.length++] = low;
    return this;
  }

  /** A bytes field given in hex; left out when empty. */
  hex(field: number, value: string): this {
    if (value === '') return this;
    const size = value.length >> 1;
    this.tag(field, 2);
    this.varint(size);
    this.reserve(size);
    this.length += this.bytes.write(value, this.length, 'hex');
    return this;
  }

  /** A string field, UTF-8; left out when empty. */
  text(field: number, value: string): this {
    if (value === '') return this;
    const size = Buffer.byteLength(value);
    this.tag(field, 2);
    this.varint(size);
    this.reserve(size);
    this.length += this.bytes.write(value, this.length, 'utf8');
    return this;
  }

  /** A length-delimited field that is written even when it is empty: a message, or an item of a list. */
  message(field: number, value: Uint8Array): this {
    this.tag(field, 2);
    this.varint(value.length);
    this.reserve(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** A byte without a field, as hash inputs begin with. */
  byte(value: number): this {
    this.reserve(1);
    this.bytes[this.length++] = value;
    return this;
  }

  /** The bytes written so far, as a view: write nothing more afterwards. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private tag(field: number, wireType: number): void {
    this.varint((field << 3) | wireType);
  }

  private varint(value: number): void {
    this.reserve(10);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  private reserve(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + size));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** Bytes of a length-delimited field with a field number below 16; 0 for an empty one, which is omitted. */
export function fieldSize(size: number): number {
  return size === 0 ? 0 : 1 + varintSize(size) + size;
}
