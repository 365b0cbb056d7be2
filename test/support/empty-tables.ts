import type { DataSource } from 'typeorm';

/**
 * Empties small tables. TRUNCATE creates new files for each table and each of its indexes, and every connection then plans again,
 * which takes longer than most tests.
 *
 * @param tables names; one text may contain several, separated by commas
 */
export async function emptyTables(dataSource: DataSource, tables: readonly string[]): Promise<void> {
  const names = tables.flatMap((text) => text.split(',')).map((name) => name.trim());
  await dataSource.query(names.map((name) => `DELETE FROM ${name}`).join('; '));
}
