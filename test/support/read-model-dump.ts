import type { DataSource } from 'typeorm';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { createLogger } from '../../src/platform/logger.js';
import { openDatabase } from '../../src/platform/open-database.js';
import { CONTENT } from './table-content.js';
import { projectAll } from './read-models.js';

/** Every row of every read model, as text, by table; sorted. */
export type ReadModelDump = ReadonlyMap<string, readonly string[]>;

/** Tables that are not read models, tables that depend on how the log was cut, and tables that workers compute later. */
const NOT_READ_MODELS =
  /^(event(_\d{4}_\d\d)?|log_head|stream_head|observer_lease|api_key|record_change|projection_(checkpoint|fault)|roll_up_(mark|fault)|rebuild_failure|schema_migration|migrations?|typeorm_.*|(block_)?statistic(_.*)?)$/;

/** Projects all read models to the end of the log, when no service does, and dumps them. */
export async function dumpReadModels(place: {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
}): Promise<ReadModelDump> {
  const database = await openDatabase({
    ...place,
    exclusive: false,
    clock: new SystemClock(),
    logger: createLogger('silent'),
  });
  const dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
  try {
    await projectAll(dataSource);
    return await dump(dataSource);
  } finally {
    await dataSource.destroy();
    await database.close();
  }
}

async function dump(dataSource: DataSource): Promise<ReadModelDump> {
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const result = new Map<string, string[]>();
  for (const { name } of tables) {
    if (NOT_READ_MODELS.test(name)) continue;
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT ${CONTENT} AS row FROM "${name}" t ORDER BY ${CONTENT} COLLATE "C"`,
    );
    result.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return result;
}

/** Rows in only one of two dumps, marked by their dump; a few of each table. */
export function compareDumps(before: ReadModelDump, after: ReadModelDump): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => [
    ...rowsOnlyIn(before, after, table).map((row) => `${table} - ${row}`),
    ...rowsOnlyIn(after, before, table).map((row) => `${table} + ${row}`),
  ]);
}

const SHOWN = 5;

function rowsOnlyIn(one: ReadModelDump, other: ReadModelDump, table: string): string[] {
  const counts = new Map<string, number>();
  for (const row of other.get(table) ?? []) counts.set(row, (counts.get(row) ?? 0) + 1);
  const rest = (one.get(table) ?? []).filter((row) => {
    const count = counts.get(row) ?? 0;
    counts.set(row, count - 1);
    return count <= 0;
  });
  return rest.length > SHOWN ? [...rest.slice(0, SHOWN), `and ${rest.length - SHOWN} more`] : rest;
}
