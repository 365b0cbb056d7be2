import { readFileSync, mkdtempSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { Client } from 'pg';
import { createDataSource } from '../../src/platform/database.js';
import { runMigrations } from '../../src/platform/migrations.js';
import { startEmptyDatabase, type TestDatabase } from './database.js';

/** The folder with the files of each release: `<version>.log.ndjson.br` and `<version>.dump.ndjson.br`. */
export const RELEASES = new URL('../fixtures/releases/', import.meta.url);
const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** The first line of a dump. Each further line is a row: its table, a tab, and the row as JSON. */
interface DumpHead {
  /** Names of the migration files of the schema: released files are never edited. */
  readonly migrations: readonly string[];
  readonly sequences: Readonly<Record<string, string | null>>;
}

/** Rows per insert statement. */
const ROWS_AT_ONCE = 500;

/** Every row of every table of a database, as lines; the schema is given by its migrations. */
export async function dumpDatabase(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        ORDER BY 1`,
    );
    const { rows: sequences } = await client.query<{ name: string; value: string | null }>(
      "SELECT sequencename AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = 'public'",
    );
    const head: DumpHead = {
      migrations: readdirSync(MIGRATIONS).toSorted(),
      sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])),
    };
    const lines = [JSON.stringify(head)];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT row_to_json(t)::text AS row FROM "${name}" t`,
      );
      for (const { row } of rows) lines.push(`${name}\t${row}`);
    }
    return lines;
  });
}

/** A database as a release left it. Its rows are restored unchanged, without triggers. */
export async function restoreDump(version: string): Promise<TestDatabase> {
  const [head = '', ...rows] = readRelease(version, 'dump').trimEnd().split('\n');
  const { migrations, sequences } = JSON.parse(head) as DumpHead;
  const database = await startEmptyDatabase();
  await migrateBy(migrations, database.url);
  const byTable = new Map<string, string[]>();
  for (const row of rows) {
    const end = row.indexOf('\t');
    const table = row.slice(0, end);
    const texts = byTable.get(table) ?? [];
    byTable.set(table, texts);
    texts.push(row.slice(end + 1));
  }
  await withClient(database.url, async (client) => {
    await client.query('SET session_replication_role = replica');
    for (const [table, texts] of byTable) {
      if (table === 'event') await makeMonths(client, texts);
      else await client.query(`DELETE FROM "${table}"`);
      for (let at = 0; at < texts.length; at += ROWS_AT_ONCE) {
        await client.query(
          `INSERT INTO "${table}" OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::"${table}", $1)`,
          [`[${texts.slice(at, at + ROWS_AT_ONCE).join(',')}]`],
        );
      }
    }
    for (const [name, value] of Object.entries(sequences)) {
      if (value !== null) await client.query('SELECT setval($1::regclass, $2::bigint)', [name, value]);
    }
  });
  return database;
}

/** The text of a release's file. */
export function readRelease(version: string, file: 'log' | 'dump'): string {
  return brotliDecompressSync(readFileSync(new URL(`${version}.${file}.ndjson.br`, RELEASES))).toString(
    'utf8',
  );
}

/** The versions with files, in the order of their names. */
export function listReleases(): string[] {
  const found = readdirSync(RELEASES).map((file) => /^(.+)\.dump\.ndjson\.br$/.exec(file)?.[1]);
  return found.filter((version) => version !== undefined).toSorted();
}

async function migrateBy(files: readonly string[], url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-release-'));
  try {
    for (const file of files) copyFileSync(new URL(file, MIGRATIONS), join(folder, file));
    const dataSource = await createDataSource({ url, poolSize: 1, migrationsDirectory: folder }).initialize();
    try {
      await runMigrations(dataSource);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function makeMonths(client: Client, events: readonly string[]): Promise<void> {
  const times = events.map((event) => (JSON.parse(event) as { recorded_at: string }).recorded_at);
  const months = new Map(times.map((time) => [time.slice(0, 7), time]));
  for (const time of months.values()) await client.query('SELECT ensure_event_partition($1)', [time]);
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Numbers and times have one form, whatever the server's settings.
    await client.query("SET TimeZone = 'UTC'; SET extra_float_digits = 3; SET bytea_output = 'hex'");
    return await work(client);
  } finally {
    await client.end();
  }
}
