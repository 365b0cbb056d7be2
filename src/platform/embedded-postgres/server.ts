import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../clock.js';
import { messageOf, UserError } from '../errors.js';
import { USE_YOUR_OWN } from './binaries.js';
import { accountOf, dataFolder, ownersOf, serverEnvironment, type Cluster } from './cluster.js';
import { readOwnFile } from './own-file.js';
import { discardStalePidFile, findPostmaster, signalPostmaster, type Postmaster } from './postmaster.js';
import { lastComplaint, LOG_LINE_PREFIX, logPath, openLog } from './server-log.js';

/** Recovery after a crash replays the write-ahead log and may take minutes on a slow disk. */
const START_PATIENCE_MS = 300_000;

/** Tries to start on a folder that another process keeps taking and leaving. */
const START_TRIES = 10;

/** Settings of every embedded server, over the defaults of Postgres. */
const SERVER_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: LOG_LINE_PREFIX,
  // Statements may contain any text from callers, of any length: they stay out of the log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  // Sessions of a killed process end within a second, even in the middle of a long statement.
  client_connection_check_interval: '1s',
};

export interface ServerOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** More settings of Postgres, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A server; `isNew` when this call started it. */
export interface RunningServer extends Postmaster {
  readonly isNew: boolean;
}

/**
 * Returns the running server of a cluster, whoever started it, or starts one. Postgres itself allows only one per folder, so two
 * simultaneous starts get the same server.
 * @throws UserError when it does not start
 */
export async function ensureServer(cluster: Cluster, options: ServerOptions): Promise<RunningServer> {
  const deadline = options.clock.monotonic() + START_PATIENCE_MS;
  let complaint = 'it did not become ready';
  for (let tries = 0; tries < START_TRIES && options.clock.monotonic() < deadline;) {
    options.signal?.throwIfAborted();
    const running = findPostmaster(dataFolder(cluster));
    if (running?.ready) return { ...running, isNew: false };
    if (running !== undefined) {
      // Starting, recovering or stopping: each ends by itself.
      await options.clock.sleep(50, options.signal);
      continue;
    }
    tries += 1;
    discardStalePidFile(dataFolder(cluster));
    const outcome = await startServer(cluster, options, deadline);
    if (typeof outcome !== 'string') return { ...outcome, isNew: true };
    complaint = outcome;
    if (!isTransient(complaint)) break;
    await options.clock.sleep(200, options.signal);
  }
  throw new UserError(
    `The embedded Postgres in ${cluster.home} does not start: ${complaint}`,
    `Its log is ${logPath(cluster)}. Or: ${USE_YOUR_OWN}`,
  );
}

/** Whether the reason is temporary: another start won, children of a killed server are still leaving, the port was just taken. */
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
  const settings = { ...SERVER_SETTINGS, ...options.settings, port: String(await choosePort(cluster)) };
  const log = openLog(cluster);
  const child = spawn(
    join(cluster.binaries.directory, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A session of its own: the Ctrl-C of a terminal must not stop it before the service has drained.
    {
      ...accountOf(cluster),
      detached: true,
      env: serverEnvironment(),
      stdio: ['ignore', log.file, log.file],
    },
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

/** The port of the last server on this folder, so that clients find it again; a free port when that one is taken. */
async function choosePort(cluster: Cluster): Promise<number> {
  // Postgres keeps its start options in a file next to its data.
  const options = readOwnFile(join(dataFolder(cluster), 'postmaster.opts'), ownersOf(cluster)) ?? '';
  const last = Number(/"port=(\d+)"/.exec(options)?.[1] ?? 0);
  return probePort(last).catch(() => probePort(0));
}

/** Returns the port if it is free, and any free port for 0; rejects when the port is taken. */
async function probePort(port: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP listener without a port');
  return address.port;
}
