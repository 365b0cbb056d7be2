export interface SketchContent {
  /** Bin and count, by ascending bin, each bin once, each count above 0. */
  readonly bins: readonly (readonly [number, number])[];
  /** Greatest value; 0 without any. */
  readonly max: number;
}

/** The greatest value follows as a varint. */
const WHOLE_MAX = 1;
/** The greatest value follows as an eight-byte big-endian double: it is not a whole number, or beyond 2^53. */
const DOUBLE_MAX = 2;

/** The bin of the greatest double, 1.8e308. */
export const LAST_BIN = 39_787;

/**
 * Bytes of a sketch: a format byte, the number of bins, and the greatest value. Then for each bin its distance from the previous
 * one (from -1 for the first) minus one, and its count. Integers are varints: seven bits a byte, low bits first. Each content has
 * exactly one encoding, so equal contents have equal bytes.
 */
export function writeSketch({ bins, max }: SketchContent): Buffer {
  const bytes: number[] = [isWhole(max) ? WHOLE_MAX : DOUBLE_MAX];
  pushVarint(bytes, bins.length);
  if (isWhole(max)) pushVarint(bytes, max);
  else bytes.push(...doubleBytes(max));
  let last = -1;
  for (const [bin, count] of bins) {
    pushVarint(bytes, bin - last - 1);
    pushVarint(bytes, count);
    last = bin;
  }
  return Buffer.from(bytes);
}

/** @throws Error for bytes that writeSketch did not write */
export function readSketch(bytes: Uint8Array): SketchContent {
  const reader = new Reader(bytes);
  const format = reader.byte();
  if (format !== WHOLE_MAX && format !== DOUBLE_MAX) throw fault(`its format is ${format}`);
  const length = reader.varint();
  if (length > LAST_BIN + 1) throw fault(`it claims ${length} bins`);
  const max = format === WHOLE_MAX ? reader.varint() : reader.double();
  if (format === DOUBLE_MAX && (isWhole(max) || !Number.isFinite(max) || max < 0)) {
    throw fault(`its greatest value is ${max}`);
  }
  if (length === 0 && (format !== WHOLE_MAX || max !== 0))
    throw fault('it has a greatest value but no others');
  const bins: [number, number][] = [];
  let last = -1;
  while (bins.length < length) {
    last += reader.varint() + 1;
    const count = reader.varint();
    if (last > LAST_BIN) throw fault(`it has a bin ${last}`);
    if (count === 0) throw fault(`its bin ${last} is empty`);
    bins.push([last, count]);
  }
  reader.end();
  return { bins, max };
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function pushVarint(bytes: number[], value: number): void {
  if (!isWhole(value)) throw new RangeError(`A sketch cannot hold the count ${value}`);
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
}

function doubleBytes(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return new Uint8Array(view.buffer);
}

function fault(why: string): Error {
  return new Error(`These bytes are not a sketch: ${why}`);
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw fault('they end too early');
    return byte;
  }

  varint(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER) throw fault('an integer is beyond 2^53');
      if (byte < 0x80) {
        if (byte === 0 && unit > 1) throw fault('an integer is longer than it needs');
        return value;
      }
      unit *= 0x80;
      if (unit > 2 ** 49) throw fault('an integer is too long');
    }
  }

  double(): number {
    const eight = Uint8Array.from({ length: 8 }, () => this.byte());
    return new DataView(eight.buffer).getFloat64(0);
  }

  end(): void {
    if (this.at !== this.bytes.length) throw fault(`${this.bytes.length - this.at} bytes follow`);
  }
}
