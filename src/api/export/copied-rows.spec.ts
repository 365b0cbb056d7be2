import { readCopiedRows } from './copied-rows.js';
import type { CellValue, ExportColumn } from './export-column.js';

const COLUMNS: readonly ExportColumn[] = [
  { name: 'text', kind: 'TEXT' },
  { name: 'count', kind: 'INT64' },
  { name: 'share', kind: 'DOUBLE' },
  { name: 'flag', kind: 'BOOL' },
  { name: 'time', kind: 'TIME' },
];

const ROWS: readonly CellValue[][] = [
  ['é🦊', -(2n ** 63n), -0.5, true, 1_795_230_000_000_001n],
  ['', 2n ** 63n - 1n, 1e300, false, -1n],
  [null, null, null, null, null],
];

function int(bytes: 2 | 4, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

function toBytes(cell: CellValue, { kind }: ExportColumn): Buffer {
  if (cell === null) return int(4, -1);
  const value = Buffer.alloc(8);
  if (typeof cell === 'string') return Buffer.concat([int(4, Buffer.byteLength(cell)), Buffer.from(cell)]);
  if (typeof cell === 'boolean') return Buffer.concat([int(4, 1), Buffer.from([Number(cell)])]);
  if (typeof cell === 'number') value.writeDoubleBE(cell);
  // Postgres counts from the year 2000.
  else value.writeBigInt64BE(kind === 'TIME' ? cell - BigInt(Date.UTC(2000, 0)) * 1_000n : cell);
  return Buffer.concat([int(4, 8), value]);
}

/** The bytes that `COPY … (FORMAT binary)` writes. */
const COPY = Buffer.concat([
  Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
  Buffer.alloc(8),
  ...ROWS.flatMap((row) => [
    int(2, row.length),
    ...row.map((cell, index) => toBytes(cell, COLUMNS[index] ?? { name: '', kind: 'TEXT' })),
  ]),
  int(2, -1),
]);

async function read(chunks: readonly Buffer[]): Promise<CellValue[][]> {
  async function* source(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  const rows: CellValue[][] = [];
  for await (const batch of readCopiedRows(source(), COLUMNS)) rows.push(...batch);
  return rows;
}

describe('rows that the database server exports', () => {
  it('are read wherever its bytes are cut', async () => {
    expect(await read([COPY])).toEqual(ROWS);
    for (let at = 0; at <= COPY.length; at += 1) {
      expect(await read([COPY.subarray(0, at), COPY.subarray(at)])).toEqual(ROWS);
    }
    expect(await read([...COPY].map((byte) => Buffer.from([byte])))).toEqual(ROWS);
  });

  it('are not treated as complete if the end is missing', async () => {
    await expect(read([COPY.subarray(0, -2)])).rejects.toThrow('a copy ended within a row');
    await expect(read([COPY.subarray(0, -9)])).rejects.toThrow('a copy ended within a row');
  });
});
