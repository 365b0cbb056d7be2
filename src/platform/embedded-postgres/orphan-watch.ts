import { Socket } from 'node:net';
import { Client } from 'pg';
import { insistOnScram } from '../scram.js';
import { LOCK_DATABASE, toUrl, USER_LOCK, type ServerAddress } from './session.js';

/** Held by the one session that watches a server. */
const WATCH_LOCK = 0x68696e03;

/** A service that starts again sooner uses the server that its killed one left. */
const ORPHAN_SECONDS = 10;

/**
 * Runs in the server, and goes on there when whoever began it was killed or aborted. A server that nobody has used for
 * some seconds stops itself. Each look is a transaction of its own, so that it keeps no old row.
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
 * Has the server stop itself once all its users have vanished without a word: killed, or aborted for want of memory. One watch
 * is enough, whoever began it.
 * @param seconds how long it goes on without a user; a whole number
 * @throws when it cannot be begun
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
  // It ends with the server.
  client.on('error', () => undefined);
  await client.connect();
  // A session whose client is gone would be ended in the middle of its statement.
  await client.query('SET client_connection_check_interval = 0');
  void client.query(watchFor(seconds)).then(
    () => client.end(),
    () => undefined,
  );
  // Nobody waits for its answer.
  socket.unref();
}
