import { Client } from 'pg';
import type { Clock } from '../clock.js';
import { codeOf, UserError } from '../errors.js';
import { redactText } from '../redact.js';
import { insistOnScram, SCRAM_ONLY } from '../scram.js';
import { CLUSTER_ROLE } from './cluster.js';
import { commandOf } from './postmaster.js';

/** Shared lock of all users of an embedded server; a user that gets it exclusively is the last and stops the server. */
const USER_LOCK = 0x68696e01;

/** Lock of the one service of a data directory. */
const SERVICE_LOCK = 0x68696e02;

/** A service that is stopping, or was just killed, may keep its lock a moment longer. */
const HANDOVER_MS = 3_000;

/** Locks are taken in a database that every cluster has. */
const LOCK_DATABASE = 'postgres';

/** Databases of a cluster without any data of the record. */
const OWN_DATABASES = [LOCK_DATABASE, 'template1'];

/** Where an embedded server listens, and the password of its role. */
export interface ServerAddress {
  readonly port: number;
  readonly password: string;
}

export function toUrl(address: ServerAddress, database: string): string {
  return `postgres://${CLUSTER_ROLE}:${address.password}@127.0.0.1:${address.port}/${database}${SCRAM_ONLY}`;
}

/**
 * Connects and takes the shared lock of a user.
 * @returns undefined when the server is stopping, so that the caller starts it again
 * @throws UserError when the server refuses our password, or does not prove that it knows it
 */
export async function joinServer(address: ServerAddress): Promise<Client | undefined> {
  return connectAnd(address, async (client) => {
    if (await tryLock(client, 'pg_try_advisory_lock_shared', USER_LOCK)) return client;
    await client.end();
    return undefined;
  });
}

/**
 * Stops a server that no process uses. Nobody can join it meanwhile; a process that has just started it starts it again.
 * @returns whether it was stopped
 * @throws UserError as {@link joinServer}
 */
export async function stopUnused(address: ServerAddress, stop: () => Promise<void>): Promise<boolean> {
  const isStopped = await connectAnd(address, async (client) => {
    const isAlone = await tryLock(client, 'pg_try_advisory_lock', USER_LOCK);
    if (isAlone) await stop();
    await client.end().catch(() => undefined);
    return isAlone;
  });
  return isStopped === true;
}

/** @returns undefined for errors of a server that is stopping or starting */
async function connectAnd<T>(
  address: ServerAddress,
  work: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  const client = new Client({
    connectionString: toUrl(address, LOCK_DATABASE),
    application_name: `hindsight ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  insistOnScram(client);
  // Without a listener a broken connection would end the process; the next query fails as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (codeOf(error) === '28P01') {
      throw new UserError(
        'The embedded Postgres does not accept the password that is stored next to its data.',
        'Restore the file "password" next to its "data" folder from a backup, or choose another --data-dir.',
      );
    }
    // Refused, reset, 57P01 to 57P03 (stopping or starting): all are temporary.
    return undefined;
  }
}

/**
 * Makes this process the service of the data directory.
 * @throws UserError that names the present service
 */
export async function claimService(client: Client, dataDirectory: string, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + HANDOVER_MS;
  while (!(await tryLock(client, 'pg_try_advisory_lock', SERVICE_LOCK))) {
    if (clock.monotonic() >= deadline) {
      throw new UserError(
        `Another Hindsight is running on ${dataDirectory}: ${await describeHolder(client)}.`,
        'Stop that Hindsight first, or give this one its own --data-dir.',
      );
    }
    await clock.sleep(100);
  }
}

/**
 * Releases all locks of the session.
 * @returns whether nobody else uses the server: the caller must then stop it, and nobody can join it any more
 */
export async function leaveServer(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_all()');
  return tryLock(client, 'pg_try_advisory_lock', USER_LOCK);
}

/** Makes the database if the cluster has none yet. */
export async function ensureDatabase(client: Client, name: string): Promise<void> {
  const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.rowCount !== 0) return;
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process made it in the meantime: it exists, or its name was just taken.
    if (codeOf(error) !== '42P04' && codeOf(error) !== '23505') throw error;
  }
}

/**
 * Keeps failed statements out of the server's log: they contain texts of callers, who get the error themselves. Complaints of the
 * server's own processes remain.
 */
export async function quietenStatements(client: Client): Promise<void> {
  const found = await client.query(
    `SELECT 1 FROM pg_db_role_setting
     WHERE setrole = $1::regrole AND setdatabase = 0 AND 'log_min_messages=log' = ANY (setconfig)`,
    [CLUSTER_ROLE],
  );
  if (found.rowCount === 0) await change(client, `ALTER ROLE ${CLUSTER_ROLE} SET log_min_messages = 'log'`);
}

/** Keeps all roles but ours out of the databases that every cluster has: our locks are in one of them. */
export async function closeOwnDatabases(client: Client): Promise<void> {
  const open = await client.query(
    `SELECT 1 FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
      WHERE d.datname = ANY ($1) AND a.grantee = 0`,
    [OWN_DATABASES],
  );
  if (open.rowCount === 0) return;
  await change(client, `REVOKE ALL ON DATABASE ${OWN_DATABASES.join(', ')} FROM PUBLIC`);
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY ($1) AND usename <> $2',
    [OWN_DATABASES, CLUSTER_ROLE],
  );
}

async function change(client: Client, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    // Another process did the same at the same moment.
    if (codeOf(error) !== 'XX000' && codeOf(error) !== '23505') throw error;
  }
}

async function tryLock(
  client: Client,
  kind: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const result = await client.query<{ got: boolean }>(`SELECT ${kind}($1) AS got`, [key]);
  return result.rows[0]?.got ?? false;
}

async function describeHolder(client: Client): Promise<string> {
  const result = await client.query<{ name: string; since: string }>(
    `SELECT activity.application_name AS name,
            to_char(activity.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since
     FROM pg_locks AS held JOIN pg_stat_activity AS activity USING (pid)
     WHERE held.locktype = 'advisory' AND held.granted AND held.objid = $1`,
    [SERVICE_LOCK],
  );
  const holder = result.rows[0];
  if (holder === undefined) return 'it has just stopped';
  const pid = Number(/^hindsight (\d+)$/.exec(holder.name)?.[1]);
  if (Number.isNaN(pid)) return `a session of "${holder.name}" on its database, since ${holder.since}`;
  const command = commandOf(pid);
  return `process ${pid}, started ${holder.since}${command === undefined ? '' : `, "${redactText(command)}"`}`;
}
