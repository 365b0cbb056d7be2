import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { nextTimeSlice } from '../../platform/time-slices.js';
import type { CellValue, ColumnKind, ExportColumn } from './export-column.js';

/**
 * A row group is encoded in one go and ends at this many rows or characters of text, which limits memory and the time that others
 * wait.
 */
const GROUP_ROWS = 20_000;
const GROUP_CHARACTERS = 8_000_000;

/** Decimals have 38 digits, 18 of them after the point. */
const DECIMAL_SCALE = 18;
const DECIMAL_LIMIT = 10n ** 38n;

const DAY_MS = 86_400_000;

/** The Parquet type of each kind; every column is nullable. */
const ELEMENTS: Readonly<Record<ColumnKind, Omit<SchemaElement, 'name'>>> = {
  TEXT: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  WORD: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  INT64: { type: 'INT64' },
  DECIMAL: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: DECIMAL_SCALE,
  },
  DOUBLE: { type: 'DOUBLE' },
  BOOL: { type: 'BOOLEAN' },
  TIME: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  DATE: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
};

/** Writes a Parquet file piece by piece, with at most one row group in memory. */
export async function* toParquet(
  batches: AsyncIterable<readonly (readonly CellValue[])[]>,
  columns: readonly ExportColumn[],
): AsyncGenerator<Buffer> {
  const writer = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...ELEMENTS[kind] })),
  ];
  const file = new ParquetWriter({ writer, schema, createdBy: 'Hindsight' });
  const take = (): Buffer => {
    const piece = Buffer.from(writer.getBytes());
    writer.index = 0;
    return piece;
  };
  let group = new RowGroup(columns);
  const write = (): Buffer => {
    void file.write({ columnData: group.columnData, rowGroupSize: GROUP_ROWS });
    group = new RowGroup(columns);
    return take();
  };
  for await (const rows of batches) {
    for (const row of rows) {
      group.add(row);
      if (!group.isFull) continue;
      yield write();
      await nextTimeSlice();
    }
  }
  if (!group.isEmpty) yield write();
  void file.finish();
  yield take();
}

/** A row group, stored by columns. */
class RowGroup {
  private readonly data: CellValue[][];
  private rows = 0;
  private characters = 0;

  constructor(private readonly columns: readonly ExportColumn[]) {
    this.data = columns.map(() => []);
  }

  get isEmpty(): boolean {
    return this.rows === 0;
  }

  get isFull(): boolean {
    return this.rows >= GROUP_ROWS || this.characters >= GROUP_CHARACTERS;
  }

  get columnData(): { name: string; data: CellValue[]; offsetIndex: boolean }[] {
    return this.columns.map(({ name }, index) => ({
      name,
      data: this.data[index] ?? [],
      offsetIndex: false,
    }));
  }

  add(row: readonly CellValue[]): void {
    this.rows += 1;
    for (const [index, cell] of row.entries()) {
      const stored = toStored(cell, this.columns[index]?.kind);
      if (typeof stored === 'string') this.characters += stored.length;
      this.data[index]?.push(stored);
    }
  }
}

function toStored(cell: CellValue, kind: ColumnKind | undefined): CellValue {
  if (cell === null) return null;
  if (kind === 'DECIMAL') return toScaled(String(cell));
  if (kind === 'DATE') return Date.parse(String(cell)) / DAY_MS;
  return kind === 'INT64' ? BigInt(cell) : cell;
}

/** Digits beyond the scale are cut off; null for a number that does not fit. */
function toScaled(text: string): bigint | null {
  const [, sign, whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const scaled = BigInt(whole + decimals.slice(0, DECIMAL_SCALE).padEnd(DECIMAL_SCALE, '0'));
  if (scaled >= DECIMAL_LIMIT) return null;
  return sign === '-' ? -scaled : scaled;
}
