import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, basename, join } from 'node:path';
import { UserError } from '../errors.js';
import { majorVersion, type PostgresBinaries } from './binaries.js';
import { explainMaking } from './explain-making.js';
import { readOwnFile } from './own-file.js';
import type { ServerUser } from './server-user.js';

/** The role that owns everything in an embedded cluster. */
export const CLUSTER_ROLE = 'hindsight';

/** One embedded database cluster: its folder, and what runs it. */
export interface Cluster {
  /** Contains `data/`, `password`, `server.log` and the previous log, `server.log.1`. */
  readonly home: string;
  readonly binaries: PostgresBinaries;
  /** The account of the server; undefined for our own. */
  readonly user: ServerUser | undefined;
}

/** The folder that Postgres itself calls its data directory. */
export function dataFolder(cluster: Pick<Cluster, 'home'>): string {
  return join(cluster.home, 'data');
}

/** The accounts, besides root, whose files in the cluster's folder are the cluster's own. */
export function ownersOf(cluster: Cluster): number[] {
  const uid = cluster.user?.uid ?? process.getuid?.();
  return uid === undefined ? [] : [uid];
}

/**
 * Whether the cluster exists. It is created under another name and then renamed, so it is never incomplete.
 * @throws an error with the code `EACCES` when we may not read the folder
 */
export function clusterExists(cluster: Cluster): boolean {
  return statSync(join(dataFolder(cluster), 'PG_VERSION'), { throwIfNoEntry: false }) !== undefined;
}

/**
 * The password of {@link CLUSTER_ROLE}.
 * @throws UserError when its file is gone or is not ours
 */
export function readPassword(cluster: Cluster): string {
  const password = readOwnFile(join(cluster.home, 'password'), ownersOf(cluster))?.trim();
  if (password) return password;
  throw new UserError(
    `The password of the embedded Postgres in ${cluster.home} is missing.`,
    'Restore the file "password" next to its "data" folder from a backup, or choose another --data-dir.',
  );
}

/**
 * Creates the cluster if it does not exist. If two processes do so at once, one wins, and the other uses its cluster.
 * @throws UserError when it cannot be created (disk full, no permission), or was created by another major version
 */
export async function ensureCluster(cluster: Cluster, signal?: AbortSignal): Promise<void> {
  if (clusterExists(cluster)) {
    refuseOtherVersion(cluster);
    return;
  }
  const draft = `${cluster.home}.new-${randomBytes(6).toString('hex')}`;
  try {
    await makeCluster({ ...cluster, home: draft }, signal);
    renameSync(draft, cluster.home);
  } catch (error) {
    // Another start was faster (and may have removed our draft): its cluster is as good.
    if (clusterExists(cluster)) return;
    throw explainMaking(cluster.home, error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes drafts that a killed start left behind. Only safe for the process that has claimed the directory. */
export function removeDrafts(cluster: Cluster): void {
  const parent = dirname(cluster.home);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(cluster.home)}.new-`)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // A slower start still writes to it and removes it itself; otherwise the next start does.
    }
  }
}

function refuseOtherVersion(cluster: Cluster): void {
  const made = Number(readOwnFile(join(dataFolder(cluster), 'PG_VERSION'), ownersOf(cluster))?.trim());
  const ours = majorVersion(cluster.binaries);
  if (made === ours) return;
  throw new UserError(
    `The database in ${cluster.home} was made by Postgres ${made}; this release of Hindsight has ${ours}.`,
    `Use the release that made it, or move the data with pg_dump to another server and set DATABASE_URL.`,
  );
}

async function makeCluster(cluster: Cluster, signal: AbortSignal | undefined): Promise<void> {
  const data = dataFolder(cluster);
  const passwordFile = join(cluster.home, 'password');
  mkdirSync(cluster.home, { mode: 0o755 });
  // The mode of mkdir is cut by the umask, and the account of the server must be able to enter.
  chmodSync(cluster.home, 0o755);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (cluster.user !== undefined) {
    chownSync(data, cluster.user.uid, cluster.user.gid);
    chownSync(passwordFile, cluster.user.uid, cluster.user.gid);
  }
  await runInitdb(cluster, signal, [
    `--pgdata=${data}`,
    `--username=${CLUSTER_ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sort order and case rules of Postgres itself: a newer C library cannot break an index.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
}

async function runInitdb(cluster: Cluster, signal: AbortSignal | undefined, args: string[]): Promise<void> {
  const child = spawn(join(cluster.binaries.directory, 'bin', 'initdb'), args, {
    ...accountOf(cluster),
    ...(signal && { signal }),
    // Its own process group: the Ctrl-C of a terminal reaches only us, and we decide what ends.
    detached: true,
    env: serverEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  // Also after an abort: the draft can be removed only once nobody writes to it any more.
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (failure !== undefined) throw failure;
  if (code === 0) return;
  const line = complaint.split('\n').find((text) => /error|fatal|could not/i.test(text));
  throw new Error(line?.trim() ?? `initdb ended with ${code}`);
}

/** The account of our child processes, as options of `spawn`. */
export function accountOf({ user }: Cluster): { uid: number; gid: number } | undefined {
  return user && { uid: user.uid, gid: user.gid };
}

/** Our own environment may hold secrets: only `PATH` reaches the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}
