import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MigrationExecutor, type DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { codeOf, messageOf, UserError } from './errors.js';
import { packageFile } from './package-files.js';
import { findLockHolders, findTableHolders, lockTaken, NO_LOCK } from './locks.js';
import { TAKE_TIME_BACK } from './timed-client.js';
import type { Query } from './sql.js';

const PACKAGE_MIGRATIONS = fileURLToPath(packageFile('migrations'));

/** Any number that nobody else uses on the same database: "hind" in ASCII. */
const MIGRATION_LOCK = String(0x68696e64);

/** Wait about this long for the migrations of another process or for a locked table. */
const PATIENCE_MS = 600_000;
/** Report the holders of the lock at once and then this often. */
const TELL_EVERY_MS = 30_000;
const TURN_PAUSE_MS = 200;
/**
 * A migration that waits for a table blocks all later users of the table. It therefore waits briefly and then lets them through.
 */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_PAUSE_MS = 1_000;
const NO_RIGHT = '42501';

/** The stamp is a time; the name begins with the affected part of the schema. */
const FILE_NAME =
  /^(\d{8}(?:[01]\d|2[0-3])[0-5]\d)-((?:log|record|health|prices|statistics|reporting)(?:-[a-z0-9]+)*)\.up\.sql$/;
/** Parts that can be computed again from the log: a rebuild creates their tables again. */
const OF_READ_MODELS = /^\d{12}-(record|health|prices|statistics)\b.*\.up\.sql$/;

/** One step of a migration run, for a log line. */
export interface MigrationProgress {
  readonly name: string;
  /** Counts from 1. */
  readonly number: number;
  readonly total: number;
}

export interface MigrationOptions {
  readonly onProgress?: (progress: MigrationProgress) => void;
  /** Called at once and then every half minute, with the sessions that the migration waits for. */
  readonly onWait?: (holders: string) => void;
  /** Ten minutes when left out. */
  readonly patienceMs?: number;
}

/** A class that TypeORM can instantiate as a migration. */
export type MigrationClass = new () => MigrationInterface;

/**
 * The migrations of a folder, each a pair `<yyyymmddhhmm>-<part>[-<what>].up.sql` and `.down.sql`, in the order of their stamps.
 * @throws UserError when a file has no partner or a name is malformed
 */
export function loadMigrations(directory: string = PACKAGE_MIGRATIONS): MigrationClass[] {
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .toSorted();
  const faults = files.filter((file) => {
    const partner = file.replace(/\.(up|down)\.sql$/, (_, side) => (side === 'up' ? '.down.sql' : '.up.sql'));
    const up = file.replace(/\.down\.sql$/, '.up.sql');
    return !FILE_NAME.test(up) || !files.includes(partner);
  });
  if (faults.length > 0) {
    throw new UserError(
      `Migrations without a partner or with a malformed name: ${faults.join(', ')}.`,
      'Name them <yyyymmddhhmm>-<part>[-<what>].up.sql and .down.sql, always both; a part is log, record, health, prices, statistics or reporting.',
    );
  }
  return files.filter((file) => file.endsWith('.up.sql')).map((file) => toMigrationClass(directory, file));
}

/**
 * The SQL of a folder's read-model migrations. Run in order in an empty schema, it creates the present tables of all read models.
 */
export function loadReadModelMigrations(directory: string = PACKAGE_MIGRATIONS): string[] {
  return readdirSync(directory)
    .filter((file) => OF_READ_MODELS.test(file))
    .toSorted()
    .map((file) => readFileSync(join(directory, file), 'utf8'));
}

function toMigrationClass(directory: string, upFile: string): MigrationClass {
  const [, stamp = '', name = ''] = FILE_NAME.exec(upFile) ?? [];
  const upSql = readFileSync(join(directory, upFile), 'utf8');
  const downSql = readFileSync(join(directory, upFile.replace(/\.up\.sql$/, '.down.sql')), 'utf8');
  const camel = name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return class implements MigrationInterface {
    // TypeORM takes the last 13 characters as the order; a stamp of minutes has 12.
    readonly name = `${camel}${stamp}0`;

    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(upSql);
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(downSql);
    }
  };
}

/**
 * Applies missing migrations, each in its own transaction. Processes that start together wait for each other (TypeORM itself
 * takes no lock, and two at once break each other).
 * @returns how many were applied
 * @throws UserError when the database has migrations unknown to this version, another session blocks for ten minutes, the
 * database is read-only, or the role lacks a right
 */
export async function runMigrations(dataSource: DataSource, options: MigrationOptions = {}): Promise<number> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    await refuseReadOnly(queryRunner);
    await queryRunner.query('SET statement_timeout = 0');
    await waitForTurn(queryRunner, options);
    const executor = new MigrationExecutor(dataSource, queryRunner);
    await refuseOtherVersion(dataSource, executor);
    const pending = await executor.getPendingMigrations();
    for (const [index, migration] of pending.entries()) {
      await applyPatiently(queryRunner, () => executor.executeMigration(migration), options);
      options.onProgress?.({ name: migration.name, number: index + 1, total: pending.length });
    }
    return pending.length;
  } catch (error) {
    throw codeOf(error) === NO_RIGHT ? mayNot(error) : error;
  } finally {
    await giveBack(queryRunner);
  }
}

/** @throws UserError when the database is read-only: we do not override an operator or a provider */
async function refuseReadOnly(queryRunner: QueryRunner): Promise<void> {
  const rows = (await queryRunner.query('SHOW transaction_read_only')) as { transaction_read_only: string }[];
  if (rows[0]?.transaction_read_only !== 'on') return;
  throw new UserError(
    'The database is read-only: a standby, or default_transaction_read_only is on.',
    'Give the address of the primary, or take it back: ALTER DATABASE … RESET default_transaction_read_only.',
  );
}

function mayNot(error: unknown): UserError {
  return new UserError(
    `The role lacks a right that a migration needs: ${messageOf(error)}.`,
    'Make it the owner of its database (ALTER DATABASE … OWNER TO …): the service makes tables and schemas in it.',
    1,
    { cause: error },
  );
}

/** @throws LockTaken when another process migrates for too long */
async function waitForTurn(queryRunner: QueryRunner, options: MigrationOptions): Promise<void> {
  const query: Query = (sql) => queryRunner.query(sql);
  for (let attempt = 0; ; attempt += 1) {
    const [turn] = await query<{ won: boolean }>(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS won`);
    if (turn?.won) return;
    const find = (): Promise<string> => findLockHolders(query, MIGRATION_LOCK);
    await noteWait('the right to migrate', find, attempt * TURN_PAUSE_MS, TURN_PAUSE_MS, options);
    await sleep(TURN_PAUSE_MS);
  }
}

/** @throws LockTaken when another session locks a needed table for too long */
async function applyPatiently(
  queryRunner: QueryRunner,
  apply: () => Promise<unknown>,
  options: MigrationOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await queryRunner.startTransaction();
    try {
      await queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await apply();
      return await queryRunner.commitTransaction();
    } catch (error) {
      await queryRunner.rollbackTransaction();
      if (codeOf(error) !== NO_LOCK) throw error;
      const find = (): Promise<string> => findTableHolders((sql) => queryRunner.query(sql));
      const tryMs = LOCK_TIMEOUT_MS + LOCK_PAUSE_MS;
      await noteWait('a table that a migration needs', find, (attempt - 1) * tryMs, tryMs, options);
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Reports the holders at the first try and then every half minute; throws when patience is used up. */
async function noteWait(
  of: string,
  findHolders: () => Promise<string>,
  waitedMs: number,
  tryMs: number,
  { onWait, patienceMs = PATIENCE_MS }: MigrationOptions,
): Promise<void> {
  if (waitedMs + tryMs > patienceMs) throw lockTaken(of, await findHolders());
  if (waitedMs % TELL_EVERY_MS < tryMs) onWait?.(await findHolders());
}

/**
 * For commands that use an existing database and must not change it.
 * @throws UserError when migrations are missing, or the database has migrations unknown to this version
 */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const executor = new MigrationExecutor(dataSource);
  await refuseOtherVersion(dataSource, executor);
  const { length } = await executor.getPendingMigrations();
  if (length === 0) return;
  throw new UserError(
    `The database is not ready for this version: it lacks ${length} of ${dataSource.migrations.length} migrations.`,
    'Run `hindsight migrate`, or start the service, which migrates too.',
  );
}

/** A connection goes back to the pool as it came: unlocked and with the pool's limits. A broken one just ends. */
async function giveBack(queryRunner: QueryRunner): Promise<void> {
  try {
    await queryRunner.query('SELECT pg_advisory_unlock_all()');
    await queryRunner.query(TAKE_TIME_BACK);
  } catch {
    // The session is gone, and its locks with it.
  } finally {
    await queryRunner.release();
  }
}

/**
 * @throws UserError when the database has migrations unknown to this version: from a newer version, or from a snapshot before
 * this set
 */
async function refuseOtherVersion(dataSource: DataSource, executor: MigrationExecutor): Promise<void> {
  const known = new Set(dataSource.migrations.map((migration) => migration.name));
  const executed = await executor.getExecutedMigrations();
  const unknown = executed.map((migration) => migration.name).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const rest = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  throw new UserError(
    `The database was made by another version of Hindsight: this version does not know its migration ${unknown[0]}${rest}. Nothing was changed.`,
    'Use that version; or copy its log into a new database: `hindsight export events --format ndjson --out log.ndjson` with that version, then `hindsight import events log.ndjson --data-dir …` (or --database-url …) with this version.',
  );
}
