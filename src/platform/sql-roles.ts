import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { codeOf, UserError } from './errors.js';
import { closeSideDoors, ROLE_MARK } from './sql-role-doors.js';
import { type Database, inTransaction, type Query } from './sql.js';

/** The schema of the views for BI tools. */
const SCHEMA = 'reporting';

/** Initial settings of the role's sessions. The role can change them for a session; its rights remain. */
const SESSION = {
  default_transaction_read_only: 'on',
  statement_timeout: '60s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '60s',
  idle_session_timeout: '1h',
  search_path: SCHEMA,
} as const;

/** Most simultaneous connections of a role. */
const MOST_CONNECTIONS = 10;

const PASSWORD_BYTES = 24;
const ROUNDS = 4_096;

/** SQLSTATEs: duplicate object, insufficient privilege, reserved name. */
const IS_THERE = '42710';
const NO_RIGHT = '42501';
const RESERVED = '42939';

/** Whether a text can be the name of a role without quotes in every tool. */
export function isRoleName(text: string): boolean {
  return /^[a-z][a-z0-9_]{0,62}$/.test(text) && !text.startsWith('pg_');
}

/** Quotes the name, because keywords such as `user` are names only in quotes. */
function quoted(name: string): string {
  return `"${name}"`;
}

/**
 * Creates a role that can read the views of the schema `reporting`, future ones included, and nothing else.
 * @returns its password, which is stored nowhere: the server gets only the SCRAM verifier
 * @throws UserError when the name is taken or reserved, or our role may not create roles
 */
export async function addSqlRole(dataSource: Database, name: string): Promise<string> {
  const role = quoted(name);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await explained(name, () =>
    inTransaction(dataSource, async (query) => {
      await query(
        `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${MOST_CONNECTIONS} PASSWORD '${toVerifier(password)}'`,
      );
      await query(`COMMENT ON ROLE ${role} IS '${ROLE_MARK}'`);
      for (const [setting, value] of Object.entries(SESSION)) {
        await query(`ALTER ROLE ${role} SET ${setting} = '${value}'`);
      }
      await query(`GRANT USAGE ON SCHEMA ${SCHEMA} TO ${role}`);
      await query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${role}`);
      await query(`ALTER DEFAULT PRIVILEGES IN SCHEMA ${SCHEMA} GRANT SELECT ON TABLES TO ${role}`);
      await closeSideDoors(query);
    }),
  );
  return password;
}

/**
 * Gives a role a new password; its open sessions continue.
 * @throws UserError when {@link addSqlRole} did not make the role
 */
export async function renewSqlRole(dataSource: Database, name: string): Promise<string> {
  const role = quoted(name);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await explained(name, () =>
    inTransaction(dataSource, async (query) => {
      await requireOurs(query, name);
      await query(`ALTER ROLE ${role} PASSWORD '${toVerifier(password)}'`);
      await closeSideDoors(query);
    }),
  );
  return password;
}

/**
 * Ends the sessions of a role and drops it.
 * @throws UserError when {@link addSqlRole} did not make the role
 */
export async function dropSqlRole(dataSource: Database, name: string): Promise<void> {
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

/** Limits that the server enforces on a role, whatever its sessions set. */
export interface RoleBounds {
  readonly connections: number;
  /** Disk space for sorting per session, such as `2GB`; undefined for the server's default. */
  readonly temporary: string | undefined;
  /** Whether functions that could block the service are revoked: advisory locks, and writes to the write-ahead log. */
  readonly isKeptOff: boolean;
}

/** Reads the limits of a role. Its statement timeout is not one of them: every session may set another. */
export async function readRoleBounds(dataSource: Database, name: string): Promise<RoleBounds> {
  const [role] = await dataSource.query<
    { connections: number; temporary: string | null; isKeptOff: boolean }[]
  >(
    `SELECT r.rolconnlimit AS connections,
            (SELECT substr(s.given, length('temp_file_limit=') + 1) FROM unnest(r.rolconfig) AS s (given)
              WHERE s.given LIKE 'temp\\_file\\_limit=%') AS temporary,
            NOT has_function_privilege(r.oid, 'pg_advisory_lock(bigint)', 'EXECUTE') AS "isKeptOff"
       FROM pg_roles r WHERE r.rolname = $1`,
    [name],
  );
  const { connections = 0, temporary, isKeptOff = false } = role ?? {};
  return { connections, temporary: temporary ?? undefined, isKeptOff };
}

async function requireOurs(query: Query, name: string): Promise<void> {
  const [role] = await query<{ mark: string | null }>(
    "SELECT shobj_description(oid, 'pg_authid') AS mark FROM pg_roles WHERE rolname = $1",
    [name],
  );
  if (role?.mark === ROLE_MARK) return;
  throw new UserError(
    `There is no role ${name} that hindsight sql-user has made.`,
    `Make one: hindsight sql-user ${name}. Hindsight does not change other roles.`,
  );
}

async function explained<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === IS_THERE) {
      throw new UserError(
        `There is already a role ${name}.`,
        'Choose another name. If this command made the role: --new-password gives it another password, --drop removes it.',
      );
    }
    if (code === RESERVED) throw new UserError(`The server reserves the name ${name}.`, 'Choose another.');
    if (code !== NO_RIGHT) throw error;
    throw new UserError(
      'The role of Hindsight may not make or change roles on this server.',
      'Let the administrator run: ALTER ROLE … CREATEROLE, with the role that DATABASE_URL names; then try again.',
      1,
      { cause: error },
    );
  }
}

/** The verifier that a server stores for SCRAM (RFC 5802), so that the password itself is in no statement and no log. */
function toVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
}
