import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { ALL_TABLES } from '../tables/all-tables.js';
import { UserError } from './errors.js';
import { repeatOnce } from './lost-statements.js';
import { loadMigrations } from './migrations.js';
import { OUR_TYPES } from './rows/column-parsers.js';
import type { Database } from './sql.js';
import { TimedClient, type TimedClientConfig } from './timed-client.js';

/** The oldest supported Postgres, in the form of `server_version_num`. */
const OLDEST_SERVER = 150_000;

export interface DataSourceSettings {
  readonly url: string;
  /** Most connections; 10 when left out. */
  readonly poolSize?: number;
  /** Shown in `pg_stat_activity`; Postgres keeps 63 bytes of it. */
  readonly applicationName?: string;
  /** Folder of the migrations; that of the package when left out. */
  readonly migrationsDirectory?: string;
  /** Schemas that are searched for tables; new tables are created in the first. The role's own when left out. */
  readonly schemas?: readonly string[];
  /** `ORDINARY_LIMITS` when left out. */
  readonly limits?: DatabaseLimits;
  /** How long a statement waits for a free connection, and a new connection for the server; 5 s when left out. */
  readonly waitMs?: number;
}

/** A pool of connections that repeats a single statement once when it lost against another transaction. */
export class DatabasePool extends DataSource {
  override async query<Rows>(sql: string, parameters?: unknown[], queryRunner?: QueryRunner): Promise<Rows> {
    // In a transaction the earlier statements are lost too, so its owner has to begin again.
    if (queryRunner !== undefined) return super.query<Rows>(sql, parameters, queryRunner);
    return repeatOnce(() => super.query<Rows>(sql, parameters));
  }
}

/** Time limits on the connections of a pool, in milliseconds. */
export interface DatabaseLimits {
  /** The server cancels a statement after this time. */
  readonly statementMs: number;
  /** The server ends a transaction that has been idle for this long. */
  readonly idleInTransactionMs: number;
}

const ORDINARY_LIMITS: DatabaseLimits = { statementMs: 30_000, idleInTransactionMs: 60_000 };

/** The client waits for an answer this many times as long as a statement may take. */
const ANSWER_MARGIN = 4 / 3;

/** TCP keep-alive probes begin after a connection has been idle for this long. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Configuration with which a {@link TimedClient} enforces the limits. */
export function limitClient(limits: DatabaseLimits, schemas?: readonly string[]): TimedClientConfig {
  return {
    session: { ...limits, schemas },
    types: OUR_TYPES,
    answerTimeoutMs: Math.round(limits.statementMs * ANSWER_MARGIN),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

/**
 * A pool of connections, not yet opened (`initialize()` opens it). Statements end after 30 s and idle transactions after 60 s, so
 * that no lock is kept for ever. Long work sets its own limit with `SET LOCAL statement_timeout`. A connection whose server does
 * not answer in time leaves the pool, see {@link TimedClient}.
 */
export function createDataSource(settings: DataSourceSettings): DatabasePool {
  return new DatabasePool({
    type: 'postgres',
    // Named here, because TypeORM would load a driver from the current folder, which anybody may have filled.
    driver: pg,
    nativeDriver: false,
    url: settings.url,
    applicationName: settings.applicationName ?? `hindsight ${process.pid}`,
    poolSize: settings.poolSize ?? 10,
    connectTimeoutMS: settings.waitMs ?? 5_000,
    synchronize: false,
    logging: false,
    entities: ALL_TABLES,
    migrations: loadMigrations(settings.migrationsDirectory),
    migrationsTableName: 'schema_migration',
    extra: {
      ...limitClient(settings.limits ?? ORDINARY_LIMITS, settings.schemas),
      Client: TimedClient,
      onConnect: (session: TimedClient) => session.prepare(),
    },
  });
}

/** A second pool on the same database, not yet opened. It searches these schemas and creates tables in the first. */
export function openBeside(database: Database, schemas: readonly string[], poolSize: number): DatabasePool {
  const url = addressOf(database);
  if (url === undefined) throw new Error('a pool without an address');
  return createDataSource({ url, poolSize, schemas });
}

/** The URL of a pool, password included; undefined for anything but a {@link DatabasePool}. */
export function addressOf(database: Database): string | undefined {
  if (!(database instanceof DatabasePool)) return undefined;
  const { options } = database;
  return options.type === 'postgres' ? options.url : undefined;
}

interface ServerFacts {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly triggers: string;
  readonly schema: string | null;
}

/**
 * @throws UserError when the server is older than Postgres 15, the encoding is not UTF-8, or a setting that our sessions cannot
 * change makes the database unusable
 */
export async function requirePostgres15(dataSource: Database): Promise<void> {
  const rows = await dataSource.query<ServerFacts[]>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
            current_setting('server_encoding') AS encoding, current_setting('session_replication_role') AS triggers,
            nullif(current_schema(), 'pg_catalog') AS schema`,
  );
  const server = rows[0];
  if (server === undefined || server.number < OLDEST_SERVER) {
    throw new UserError(
      `The database server is Postgres ${server?.version ?? 'of an unknown version'}; Hindsight needs 15 or newer.`,
      'Point DATABASE_URL to a newer server, or unset it to use the embedded database.',
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new UserError(
      `The database has the encoding ${server.encoding}; Hindsight needs UTF8.`,
      "Create one with: CREATE DATABASE hindsight ENCODING 'UTF8' TEMPLATE template0",
    );
  }
  if (server.triggers === 'replica') {
    throw new UserError(
      'The database does not run triggers (session_replication_role is replica), and the record needs them.',
      'Take it back: ALTER DATABASE … RESET session_replication_role, or ALTER ROLE … RESET.',
    );
  }
  if (server.schema === null) {
    throw new UserError(
      'The search_path of the role names no schema of the database in which tables could be made.',
      'Make the schema, or take it back: ALTER ROLE … RESET search_path, or ALTER DATABASE … RESET.',
    );
  }
}
