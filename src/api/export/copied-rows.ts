import type { CellValue, ColumnKind, ExportColumn } from './export-column.js';

/** Signature, flags and extension length: everything before the first row of `COPY … (FORMAT binary)`. */
const HEADER_BYTES = 19;
/** The cell count that marks the end of the copy. */
const END = -1;
/** Microseconds from 1970 to 2000, the epoch of Postgres. */
const POSTGRES_EPOCH = 946_684_800_000_000n;

type Read = (bytes: Buffer, from: number, to: number) => CellValue;

const readText: Read = (bytes, from, to) => bytes.toString('utf8', from, to);

const READERS: Readonly<Record<ColumnKind, Read>> = {
  TEXT: readText,
  WORD: readText,
  DECIMAL: readText,
  DATE: readText,
  INT64: (bytes, from) => bytes.readBigInt64BE(from),
  DOUBLE: (bytes, from) => bytes.readDoubleBE(from),
  BOOL: (bytes, from) => bytes[from] === 1,
  TIME: (bytes, from) => bytes.readBigInt64BE(from) + POSTGRES_EPOCH,
};

/**
 * Reads the rows of a copy in Postgres' binary format, in batches of the rows that arrived together.
 * @param columns with the kinds that `copyStatement` casts to
 * @throws when the copy ends within a row
 */
export async function* readCopiedRows(
  chunks: AsyncIterable<Buffer>,
  columns: readonly ExportColumn[],
): AsyncGenerator<CellValue[][]> {
  const readers = columns.map(({ kind }) => READERS[kind]);
  let left: Buffer = Buffer.alloc(0);
  let isBegun = false;
  let isOver = false;
  for await (const chunk of chunks) {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    let at = 0;
    if (!isBegun) {
      if (left.length < HEADER_BYTES) continue;
      at = HEADER_BYTES;
      isBegun = true;
    }
    const rows: CellValue[][] = [];
    for (;;) {
      const end = findRowEnd(left, at);
      if (end === undefined) break;
      if (end === END) {
        // The copy continues until the server confirms that it was complete.
        isOver = true;
        at = left.length;
        break;
      }
      rows.push(readRow(left, at, readers));
      at = end;
    }
    left = left.subarray(at);
    if (rows.length > 0) yield rows;
  }
  if (!isOver) throw new Error('a copy ended within a row');
}

/** The end of the row that begins at `at`; undefined when it has not fully arrived, {@link END} when there are no more rows. */
function findRowEnd(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 2) return undefined;
  const count = bytes.readInt16BE(at);
  if (count === END) return END;
  let end = at + 2;
  for (let cell = 0; cell < count; cell += 1) {
    if (bytes.length < end + 4) return undefined;
    end += 4 + Math.max(bytes.readInt32BE(end), 0);
  }
  return bytes.length < end ? undefined : end;
}

function readRow(bytes: Buffer, at: number, readers: readonly Read[]): CellValue[] {
  let next = at + 2;
  return readers.map((read) => {
    const length = bytes.readInt32BE(next);
    const from = next + 4;
    next = from + Math.max(length, 0);
    return length < 0 ? null : read(bytes, from, next);
  });
}
