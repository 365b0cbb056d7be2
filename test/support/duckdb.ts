import { writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** The rows of a Parquet file as DuckDB reads them: integers as bigint, decimals, dates and times as text. */
export function readParquet(file: Buffer): Promise<Record<string, unknown>[]> {
  return queryParquet(file, 'SELECT * FROM file');
}

/** The types of the columns of a Parquet file, by name, as DuckDB reads them. */
export async function readParquetTypes(file: Buffer): Promise<Record<string, unknown>> {
  const rows = await queryParquet(file, 'DESCRIBE file');
  return Object.fromEntries(rows.map((row) => [row['column_name'], row['column_type']]));
}

async function queryParquet(file: Buffer, sql: string): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-parquet-'));
  const path = join(folder, 'file.parquet');
  writeFileSync(path, file);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(`CREATE VIEW file AS SELECT * FROM read_parquet('${path}')`);
    const rows = await connection.runAndReadAll(sql);
    return rows
      .getRowObjects()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'object' && value !== null ? String(value) : value,
          ]),
        ),
      );
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}
