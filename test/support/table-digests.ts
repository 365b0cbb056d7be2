// Writes the content of the tables after recorded and synthetic logs to a JSON file, as a digest for each log and table.
//   table-digests.ts OUT.json [--logs 200] [--only TEXT] [--rows FOLDER] [--like BEFORE.json]
// A change that must not alter a table leaves the file unchanged. `--only` selects the logs whose name has the text. `--rows`
// writes the rows themselves, for `diff -r`. `--like` leaves out columns that an older file lacks.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startTestDatabase } from './database.js';
import {
  generatedYear,
  madeUpLogs,
  recordedLogs,
  type DigestedEvent,
  type DigestedLog,
} from './digest-logs.js';
import { EmbeddedFolder } from './embedded-folder.js';
import { randomLog } from './random-log.js';
import { seededRandom } from './seeded-random.js';

/** Each table with its columns, without those that differ by the time of the run or existed before. */
type Columns = Record<string, readonly string[]>;
/** By table: the number of rows, and the SHA-256 of all of them. */
type Digests = Record<string, string>;

interface DigestFile {
  readonly columns: Columns;
  readonly logs: Record<string, Digests>;
}

const NOT_DIGESTED =
  /^(event_\d{4}_\d\d|log_head|stream_head|api_key|record_change|observer_lease|rebuild_failure|schema_migration|migrations?|typeorm_.*)$/;
/** Numbers of tables and transactions, and columns that depend on a moment without a default that shows it. */
const NOT_DIGESTED_COLUMNS = new Set([
  'statistic_state.value',
  'event.hash',
  'submission.change',
  'block.change',
  'loss.change',
]);

const COLUMNS_OF_TABLES = `
  SELECT c.relname AS table, a.attname AS column
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
     AND coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~ 'now\\(\\)|clock_timestamp|CURRENT_TIMESTAMP|nextval'
   ORDER BY 1, 2`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    logs: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    rows: { type: 'string' },
    like: { type: 'string' },
  },
});
const [out] = positionals;
if (out === undefined) throw new Error('Which file shall the digests be written to?');

const chosen = [...recordedLogs(), generatedYear(), ...madeUpLogs(Number(values.logs))].filter(({ name }) =>
  name.includes(values.only),
);
const known = values.like === undefined ? undefined : (readJson(values.like) as DigestFile).columns;
const server = process.env['DATABASE_URL'] === undefined ? new EmbeddedFolder() : undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void (server?.clear() ?? Promise.resolve()).finally(() => process.exit(1)));
}
try {
  if (server) process.env['DATABASE_URL'] = (await server.open()).url;
  let columns: Columns = {};
  const logs: Record<string, Digests> = {};
  for (const [index, log] of chosen.entries()) {
    const digested = await digestLog(log);
    columns = digested.columns;
    logs[log.name] = digested.digests;
    process.stderr.write(`${index + 1} of ${chosen.length}: ${log.name}\n`);
  }
  logs['appended by the event store'] = await digestAppends();
  writeFileSync(out, `${JSON.stringify({ columns, logs } satisfies DigestFile, undefined, 1)}\n`);
} finally {
  await server?.clear();
}

/** Projects a log into its own database, in two parts, as a restarted process would. */
async function digestLog({ name, batchSize, make }: DigestedLog): Promise<{
  readonly columns: Columns;
  readonly digests: Digests;
}> {
  const database = await startTestDatabase();
  const client = new Client({ connectionString: database.url });
  const dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
  try {
    await client.connect();
    const events = make();
    await writeLog(client, events);
    const store = new EventStore(dataSource);
    const columns = await listColumns(client);
    const digests: Digests = { 'the log': digest(events.map((event) => Object.values(event).join(' '))) };
    for (const part of [1, 2]) {
      const end = (BigInt(events.length) * BigInt(part)) / 2n;
      const runner = new ProjectionRunner(dataSource, store, batchSize);
      for (const create of Object.values(PROJECTION_FACTORIES)) await runner.catchUp(create(), end);
      digests[`marks of part ${part}`] = digest(await getRows(client, 'roll_up_mark', columns));
      await new RollUp(dataSource).run();
    }
    for (const table of Object.keys(columns)) {
      const rows = await getRows(client, table, columns);
      digests[table] = digest(rows);
      writeRows(name, table, rows);
    }
    return { columns, digests };
  } finally {
    await client.end();
    await dataSource.destroy();
    await database.stop();
  }
}

/** The content that the event store itself writes, without its times and the values that depend on them. */
async function digestAppends(): Promise<Digests> {
  const database = await startTestDatabase();
  const client = new Client({ connectionString: database.url });
  const dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
  try {
    await client.connect();
    const store = new EventStore(dataSource);
    const versions = new Map<string, bigint>();
    for (const { stream, type, body, observedAt: us } of randomLog(seededRandom(1), 150)) {
      const expectedVersion = versions.get(stream) ?? 0n;
      versions.set(stream, expectedVersion + 1n);
      const events = [{ type, body, observedAt: Number(us / 1_000n) } as NewEvent];
      await store.append({ stream, expectedVersion, events, state: { after: String(expectedVersion) } });
    }
    const event = ['position', 'stream', 'version', 'type', 'schema', 'observed_at', 'body'];
    const columns = { event, stream_head: ['stream', 'version', 'state'], log_head: ['position'] };
    const digests: Digests = {};
    for (const table of Object.keys(columns)) digests[table] = digest(await getRows(client, table, columns));
    return digests;
  } finally {
    await client.end();
    await dataSource.destroy();
    await database.stop();
  }
}

/** Writes a log without the event store, which would date it by the clock. */
async function writeLog(client: Client, events: readonly DigestedEvent[]): Promise<void> {
  const versions = new Map<string, number>();
  let recordedAt = 0n;
  const rows = events.map(({ recordedAt: at, ...event }, index) => {
    const version = (versions.get(event.stream) ?? 0) + 1;
    versions.set(event.stream, version);
    recordedAt = at > recordedAt ? at : recordedAt;
    return { ...event, position: index + 1, version, recordedAt };
  });
  const months = new Set(
    rows.map((row) => new Date(Number(row.recordedAt / 1_000n)).toISOString().slice(0, 7)),
  );
  for (const month of months) await client.query('SELECT ensure_event_partition($1)', [`${month}-01Z`]);
  await client.query(
    `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
     SELECT position, stream, version, type, 1, timestamptz 'epoch' + observed * interval '1 us',
            timestamptz 'epoch' + recorded * interval '1 us', body::json, ''
       FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[])
            AS added (position, stream, version, type, observed, recorded, body)`,
    [
      rows.map(({ position }) => position),
      rows.map(({ stream }) => stream),
      rows.map(({ version }) => version),
      rows.map(({ type }) => type),
      rows.map(({ observedAt }) => String(observedAt)),
      rows.map((row) => String(row.recordedAt)),
      rows.map(({ body }) => body),
    ],
  );
  await client.query('UPDATE log_head SET position = $1', [rows.length]);
}

async function listColumns(client: Client): Promise<Columns> {
  const { rows } = await client.query<{ table: string; column: string }>(COLUMNS_OF_TABLES);
  const columns: Record<string, string[]> = {};
  for (const { table, column } of rows) {
    if (NOT_DIGESTED.test(table) || NOT_DIGESTED_COLUMNS.has(`${table}.${column}`)) continue;
    if (known !== undefined && known[table]?.includes(column) !== true) continue;
    (columns[table] ??= []).push(column);
  }
  return columns;
}

/** Rows as JSON text, in an order that depends on nothing else. */
async function getRows(client: Client, table: string, columns: Columns): Promise<string[]> {
  const selected = (columns[table] ?? []).map((column) => `"${column}"`).join(', ');
  const { rows } = await client.query<{ row: string }>(
    `SELECT row FROM (SELECT to_json(t)::text AS row FROM (SELECT ${selected} FROM "${table}") t) texts
      ORDER BY row COLLATE "C"`,
  );
  return rows.map(({ row }) => row);
}

function digest(rows: readonly string[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(row).update('\n');
  return `${rows.length} ${hash.digest('hex')}`;
}

function writeRows(log: string, table: string, rows: readonly string[]): void {
  if (values.rows === undefined) return;
  const folder = join(values.rows, log.replaceAll(' ', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, table), rows.map((row) => `${row}\n`).join(''));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
