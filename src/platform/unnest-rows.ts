/** Types of columns that rows are sent as, with the values they take. */
export interface ColumnTypes {
  int2: number;
  int4: number;
  int8: bigint;
  bool: boolean;
  text: string;
  json: string;
  /** Exact decimal in text. */
  numeric: string;
  /** As Postgres writes it: `{[1,4),[9,)}`. */
  int8multirange: string;
  /** Hex digits. */
  bytea: string;
  /** Unix microseconds. */
  timestamptz: bigint;
}
export type ColumnType = keyof ColumnTypes;

/** A column of a set of rows: its name, its type, and where its value stands in a row. */
export interface Column<Row, T extends ColumnType = ColumnType> {
  readonly name: string;
  readonly type: T;
  encode(rows: readonly Row[]): Buffer;
}

/** A column whose value `read` takes from a row. */
export function column<Row, T extends ColumnType>(
  name: string,
  type: T,
  read: (row: Row) => ColumnTypes[T] | null,
): Column<Row, T> {
  const encoder = ENCODERS[type] as Encoder<ColumnTypes[T]>;
  return { name, type, encode: (rows) => encodeArray(encoder, rows, read) };
}

/** Rows in the form of a FROM item that yields them, `unnest(…) AS <alias> (…)`, and its parameters. */
export interface UnnestedRows {
  readonly sql: string;
  readonly names: string;
  readonly parameters: readonly Buffer[];
}

/**
 * Many rows as one parameter per column. Arrays go over the wire in Postgres' binary format, which costs a third
 * of what text arrays do.
 *
 * @param first number of the first parameter
 */
export function unnestRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  alias = 'added',
  first = 1,
): UnnestedRows {
  const arrays = columns.map(({ type }, index) => {
    const array = `$${first + index}::${ENCODERS[type].sent}[]`;
    return ENCODERS[type].sent === type ? array : `(${array})::${type}[]`;
  });
  const names = columns.map(({ name }) => name).join(', ');
  return {
    sql: `unnest(${arrays.join(', ')}) AS ${alias} (${names})`,
    names,
    parameters: columns.map((each) => each.encode(rows)),
  };
}

interface Encoder<T> {
  /** The type under which the array is sent; Postgres casts it to the column's. */
  readonly sent: string;
  readonly oid: number;
  /** Bytes of a value, where all take the same. */
  readonly size?: number;
  measure?(value: T): number;
  write(buffer: Buffer, value: T, offset: number): void;
}

/** 2000-01-01 in Unix microseconds: Postgres counts from there. */
const POSTGRES_EPOCH = 946_684_800_000_000n;
/** What text columns refuse. */
const NUL = '\0';

const TEXT: Encoder<string> = {
  sent: 'text',
  oid: 25,
  measure: (value) => Buffer.byteLength(value),
  write: (buffer, value, offset) => void buffer.write(value, offset),
};

const ENCODERS: { readonly [T in ColumnType]: Encoder<ColumnTypes[T]> } = {
  int2: { sent: 'int2', oid: 21, size: 2, write: (buffer, value, at) => void buffer.writeInt16BE(value, at) },
  int4: { sent: 'int4', oid: 23, size: 4, write: (buffer, value, at) => void buffer.writeInt32BE(value, at) },
  int8: {
    sent: 'int8',
    oid: 20,
    size: 8,
    write: (buffer, value, at) => void buffer.writeBigInt64BE(value, at),
  },
  bool: {
    sent: 'bool',
    oid: 16,
    size: 1,
    write: (buffer, value, at) => void buffer.writeUInt8(value ? 1 : 0, at),
  },
  text: TEXT,
  json: TEXT,
  numeric: TEXT,
  int8multirange: TEXT,
  bytea: {
    sent: 'bytea',
    oid: 17,
    measure: (value) => value.length >> 1,
    write: (buffer, value, at) => void buffer.write(value, at, 'hex'),
  },
  timestamptz: {
    sent: 'timestamptz',
    oid: 1184,
    size: 8,
    write: (buffer, value, at) => void buffer.writeBigInt64BE(value - POSTGRES_EPOCH, at),
  },
};

/** Dimensions, null flag, element type, then length and lower bound of the only dimension. */
const HEADER_BYTES = 20;

function encodeArray<Row, T>(
  encoder: Encoder<T>,
  rows: readonly Row[],
  read: (row: Row) => T | null,
): Buffer {
  const values: (T | null)[] = [];
  let bytes = HEADER_BYTES + 4 * rows.length;
  for (let index = 0; index < rows.length; index++) {
    let value = read(rows[index] as Row);
    if (typeof value === 'string' && value.includes(NUL)) value = value.replaceAll(NUL, '\ufffd') as T;
    values.push(value);
    if (value !== null) bytes += encoder.size ?? encoder.measure?.(value) ?? 0;
  }
  const buffer = Buffer.allocUnsafe(bytes);
  buffer.writeInt32BE(rows.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(encoder.oid, 8);
  if (rows.length === 0) return buffer.subarray(0, 12);
  buffer.writeInt32BE(rows.length, 12);
  buffer.writeInt32BE(1, 16);
  let offset = HEADER_BYTES;
  for (const value of values) {
    if (value === null) {
      buffer.writeInt32BE(-1, offset);
      offset += 4;
      continue;
    }
    const size = encoder.size ?? encoder.measure?.(value) ?? 0;
    buffer.writeInt32BE(size, offset);
    encoder.write(buffer, value, offset + 4);
    offset += 4 + size;
  }
  return buffer;
}
