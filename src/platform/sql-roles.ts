import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { codeOf, UserError } from './errors.js';
import { inTransaction, type Query } from './sql.js';

/** The schema of the views for BI tools. */
const SCHEMA = 'reporting';

/** By it a role is known to be one of ours. */
const MARK = 'Reads the views of Hindsight; made by hindsight sql-user.';

/** What a session of such a role begins with. Whoever has the role can change these for a session; its rights stay. */
const SESSION = {
  default_transaction_read_only: 'on',
  statement_timeout: '60s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '60s',
  idle_session_timeout: '1h',
  search_path: SCHEMA,
} as const;

/** Connections at the same time. */
const MOST_CONNECTIONS = 10;

/** Room that a query may take for what it sorts; only the superuser of a server can set it. */
const MOST_TEMPORARY = '2GB';

const PASSWORD_BYTES = 24;
const ROUNDS = 4_096;

/** Duplicate role, no right to it, a name that the server keeps for itself. */
const IS_THERE = '42710';
const NO_RIGHT = '42501';
const RESERVED = '42939';

/** Whether a text can be the name of a role without quotes in every tool. */
export function isRoleName(text: string): boolean {
  return /^[a-z][a-z0-9_]{0,62}$/.test(text) && !text.startsWith('pg_');
}

/** As SQL has it: a word of its own, such as `user`, is a name in quotes. */
function quoted(name: string): string {
  return `"${name}"`;
}

/**
 * Makes a role that can read the views of the schema `reporting`, those to come included, and nothing else.
 * @returns its password, which is kept nowhere: the server is only told what it proves itself by
 * @throws UserError when there is a role of that name, or ours may not make any
 */
export async function addSqlRole(dataSource: DataSource, name: string): Promise<string> {
  const role = quoted(name);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await explained(name, () =>
    inTransaction(dataSource, async (query) => {
      await query(
        `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${MOST_CONNECTIONS} PASSWORD '${toVerifier(password)}'`,
      );
      await query(`COMMENT ON ROLE ${role} IS '${MARK}'`);
      for (const [setting, value] of Object.entries(SESSION)) {
        await query(`ALTER ROLE ${role} SET ${setting} = '${value}'`);
      }
      await query(`GRANT USAGE ON SCHEMA ${SCHEMA} TO ${role}`);
      await query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${role}`);
      await query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${SCHEMA} GRANT SELECT ON TABLES TO ${role}`);
      await closeSideDoors(query, role);
    }),
  );
  return password;
}

/**
 * Gives a role another password; sessions that it has go on.
 * @throws UserError when it is none that {@link addSqlRole} has made
 */
export async function renewSqlRole(dataSource: DataSource, name: string): Promise<string> {
  const role = quoted(name);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await explained(name, () =>
    inTransaction(dataSource, async (query) => {
      await requireOurs(query, name);
      await query(`ALTER ROLE ${role} PASSWORD '${toVerifier(password)}'`);
    }),
  );
  return password;
}

/**
 * Ends the sessions of a role, and takes it away.
 * @throws UserError when it is none that {@link addSqlRole} has made
 */
export async function dropSqlRole(dataSource: DataSource, name: string): Promise<void> {
  const role = quoted(name);
  await explained(name, () =>
    inTransaction(dataSource, async (query) => {
      await requireOurs(query, name);
      await query(`ALTER ROLE ${role} NOLOGIN`);
      await query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [name]);
      await query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${SCHEMA} REVOKE SELECT ON TABLES FROM ${role}`);
      await query(`REVOKE ALL ON ALL TABLES IN SCHEMA ${SCHEMA} FROM ${role}`);
      await query(`REVOKE ALL ON SCHEMA ${SCHEMA} FROM ${role}`);
      await query(`DROP ROLE ${role}`);
    }),
  );
}

/** What the server holds a role to, whatever it sets for its sessions. */
export interface RoleBounds {
  readonly connections: number;
  /** Room for what the queries of a session sort, such as `2GB`; undefined: as much as the server lets everybody have. */
  readonly temporary: string | undefined;
}

/** What holds for a role. Not among it is its time for a statement: a server lets everybody set another one. */
export async function readRoleBounds(dataSource: DataSource, name: string): Promise<RoleBounds> {
  const [role] = await dataSource.query<{ connections: number; temporary: string | null }[]>(
    `SELECT r.rolconnlimit AS connections,
            (SELECT substr(s.given, length('temp_file_limit=') + 1) FROM unnest(r.rolconfig) AS s (given)
              WHERE s.given LIKE 'temp\\_file\\_limit=%') AS temporary
       FROM pg_roles r WHERE r.rolname = $1`,
    [name],
  );
  return { connections: role?.connections ?? 0, temporary: role?.temporary ?? undefined };
}

async function requireOurs(query: Query, name: string): Promise<void> {
  const [role] = await query<{ mark: string | null }>(
    "SELECT shobj_description(oid, 'pg_authid') AS mark FROM pg_roles WHERE rolname = $1",
    [name],
  );
  if (role?.mark === MARK) return;
  throw new UserError(
    `There is no role ${name} that hindsight sql-user has made.`,
    `Make one: hindsight sql-user ${name}. A role of your own is left alone.`,
  );
}

/**
 * What every role can do besides, where ours may forbid it: tables of a session, large objects, and files without end on the
 * server's disk. Each may belong to somebody else on a server that is shared.
 */
async function closeSideDoors(query: Query, role: string): Promise<void> {
  const [is] = await query<{ owner: boolean; superuser: boolean; database: string }>(
    `SELECT pg_has_role(d.datdba, 'MEMBER') AS owner, current_setting('is_superuser') = 'on' AS superuser,
            quote_ident(d.datname) AS database FROM pg_database d WHERE d.datname = current_database()`,
  );
  if (is?.owner) await query(`REVOKE TEMPORARY ON DATABASE ${is.database} FROM PUBLIC`);
  if (!is?.superuser) return;
  await query(`ALTER ROLE ${role} SET temp_file_limit = '${MOST_TEMPORARY}'`);
  for (const made of ['lo_creat(integer)', 'lo_create(oid)', 'lo_from_bytea(oid, bytea)']) {
    await query(`REVOKE EXECUTE ON FUNCTION pg_catalog.${made} FROM PUBLIC`);
  }
}

async function explained<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === IS_THERE) {
      throw new UserError(
        `There is a role ${name} already.`,
        'Choose another name. Where it is one of these: --new-password gives it another password, --drop takes it away.',
      );
    }
    if (code === RESERVED) throw new UserError(`${name} is a name that the server keeps.`, 'Choose another.');
    if (code !== NO_RIGHT) throw error;
    throw new UserError(
      'The role of Hindsight may not make or change roles on this server.',
      'Let the administrator run: ALTER ROLE … CREATEROLE, with the role that DATABASE_URL names; then try again.',
      1,
      { cause: error },
    );
  }
}

/** What a server keeps of a password by SCRAM (RFC 5802): so the password itself is in no statement and in no log. */
function toVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
}
