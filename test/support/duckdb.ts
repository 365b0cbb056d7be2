import { writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** The rows of a Parquet file as DuckDB reads them: integers as bigint, decimals and times as text. */
export async function readParquet(file: Buffer): Promise<Record<string, unknown>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-parquet-'));
  const path = join(folder, 'file.parquet');
  writeFileSync(path, file);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const rows = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
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
