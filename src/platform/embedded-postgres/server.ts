import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import { messageOf, UserError } from '../errors.js';
import { USE_YOUR_OWN } from './binaries.js';
import { dataFolder, serverEnvironment, type Cluster } from './cluster.js';
import { discardStalePidFile, findPostmaster, signalPostmaster, type Postmaster } from './postmaster.js';

/** Recovery after a crash replays the write-ahead log and may take minutes on a slow disk. */
const START_PATIENCE_MS = 300_000;

/** A folder that another process keeps taking and leaving is given up after so many tries. */
const START_TRIES = 10;

/** A longer log is put aside at the next start. */
const LOG_LIMIT_BYTES = 5_000_000;

/** Settings of every embedded server, over the defaults of Postgres. */
const SERVER_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Sessions of a killed process end within a second, even in the middle of a long statement.
  client_connection_check_interval: '1s',
};

/** How to run the server. */
export interface ServerOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** More settings of Postgres, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * The running server of a cluster: the one that is there, whoever started it, else a new one. Postgres itself lets
 * only one run on a folder, so of two starts at once one wins and both get the same server.
 * @throws UserError when it does not start
 */
export async function ensureServer(cluster: Cluster, options: ServerOptions): Promise<Postmaster> {
  const deadline = options.clock.monotonic() + START_PATIENCE_MS;
  let complaint = 'it did not become ready';
  for (let tries = 0; tries < START_TRIES && options.clock.monotonic() < deadline;) {
    options.signal?.throwIfAborted();
    const running = findPostmaster(dataFolder(cluster));
    if (running?.ready) return running;
    if (running !== undefined) {
      // Starting, recovering or stopping: each ends by itself.
      await options.clock.sleep(50, options.signal);
      continue;
    }
    tries += 1;
    discardStalePidFile(dataFolder(cluster));
    const outcome = await startServer(cluster, options, deadline);
    if (typeof outcome !== 'string') return outcome;
    complaint = outcome;
    if (!isTransient(complaint)) break;
    await options.clock.sleep(200, options.signal);
  }
  throw new UserError(
    `The embedded Postgres in ${cluster.home} does not start: ${complaint}`,
    `Its log is ${join(cluster.home, 'server.log')}. Or: ${USE_YOUR_OWN}`,
  );
}

/** Reasons that go away: another start won, children of a killed server are still leaving, the port was just taken. */
function isTransient(complaint: string): boolean {
  return /lock file|shared memory block|could not bind|listen socket|TCP\/IP socket/i.test(complaint);
}

/** @returns the running server, or the reason why it ended */
async function startServer(
  cluster: Cluster,
  options: ServerOptions,
  deadline: number,
): Promise<Postmaster | string> {
  const data = dataFolder(cluster);
  const settings = { ...SERVER_SETTINGS, ...options.settings, port: String(await findFreePort()) };
  const log = openLog(join(cluster.home, 'server.log'));
  const child = spawn(
    join(cluster.binaries.directory, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A session of its own: the Ctrl-C of a terminal must not stop it before the service has drained.
    { ...cluster.user, detached: true, env: serverEnvironment(), stdio: ['ignore', log.file, log.file] },
  );
  closeSync(log.file);
  child.unref();
  const end: { reason?: string } = {};
  child.once('error', (error) => (end.reason = messageOf(error)));
  child.once('exit', (code, signal) => (end.reason = `it ended with ${code ?? signal}`));
  while (end.reason === undefined) {
    const running = findPostmaster(data);
    if (running?.ready && running.pid === child.pid) return running;
    if (options.signal?.aborted || options.clock.monotonic() > deadline) {
      if (child.pid !== undefined) signalPostmaster(child.pid, 'SIGQUIT');
      options.signal?.throwIfAborted();
      return 'it took too long';
    }
    await options.clock.sleep(20);
  }
  return lastComplaint(log) ?? end.reason;
}

/** The server's log, opened for appending, and where this start begins in it. */
interface ServerLog {
  readonly path: string;
  readonly file: number;
  readonly offset: number;
}

function openLog(path: string): ServerLog {
  if (existsSync(path) && statSync(path).size > LOG_LIMIT_BYTES) renameSync(path, `${path}.1`);
  const file = openSync(path, 'a', 0o600);
  return { path, file, offset: fstatSync(file).size };
}

function lastComplaint(log: ServerLog): string | undefined {
  const lines = readFileSync(log.path).subarray(log.offset).toString('utf8').split('\n');
  const line = lines.findLast((text) => /FATAL|PANIC|could not|No space left/.test(text));
  return line?.replace(/^.*?(FATAL|PANIC|LOG|WARNING): */, '').trim();
}

async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP listener without a port');
  return address.port;
}
