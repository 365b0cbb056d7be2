import { Socket } from 'node:net';
import { Client } from 'pg';
import { insistOnScram } from '../scram.js';
import { LOCK_DATABASE, toUrl, USER_LOCK, type ServerAddress } from './session.js';

/** Lock of the one session that watches a server. */
const WATCH_LOCK = 0x68696e03;

/** A service that restarts sooner uses the server of its killed predecessor. */
const ORPHAN_SECONDS = 10;

/**
 * SQL that runs in the server, and continues after its client was killed or aborted. A server without users for some seconds
 * stops itself. Each check is a transaction of its own, so that the watch keeps no old row alive.
 */
const watchFor = (seconds: number): string => `DO $watch$
DECLARE
  unused int := 0;
BEGIN
  IF NOT pg_try_advisory_lock(${WATCH_LOCK}) THEN
    RETURN;
  END IF;
  LOOP
    COMMIT;
    PERFORM pg_sleep(1);
    unused := unused + 1;
    IF EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                WHERE l.locktype = 'advisory' AND l.granted AND l.objid = ${USER_LOCK}) THEN
      unused := 0;
    ELSIF unused >= ${seconds} AND pg_try_advisory_lock(${USER_LOCK}) THEN
      -- The folder of the data is where it runs.
      COPY (SELECT 1) TO PROGRAM 'read pid < postmaster.pid && kill -INT "$pid"';
      RETURN;
    END IF;
  END LOOP;
END $watch$`;

/**
 * Makes the server stop itself once all its users have vanished: killed, or aborted for lack of memory. One watch per server is
 * enough.
 * @param seconds how long the server runs on without a user; a whole number
 * @throws when the watch cannot be started
 */
export async function watchForOrphan(address: ServerAddress, seconds = ORPHAN_SECONDS): Promise<void> {
  const socket = new Socket();
  const client = new Client({
    stream: () => socket,
    connectionString: toUrl(address, LOCK_DATABASE),
    application_name: `hindsight ${process.pid} orphan watch`,
    connectionTimeoutMillis: 5_000,
  });
  insistOnScram(client);
  // The connection ends with the server.
  client.on('error', () => undefined);
  await client.connect();
  // Otherwise the server would end the session in the middle of its statement once its client is gone.
  await client.query('SET client_connection_check_interval = 0');
  void client.query(watchFor(seconds)).then(
    () => client.end(),
    () => undefined,
  );
  // The process must not wait for the answer.
  socket.unref();
}
