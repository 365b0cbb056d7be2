import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf, UserError } from '../errors.js';
import { findBinaries, USE_YOUR_OWN, type PostgresBinaries } from './binaries.js';
import { dataFolder, type Cluster } from './cluster.js';
import { explainMaking } from './explain-making.js';
import { readOwnFile } from './own-file.js';
import {
  canTraverse,
  findServerAccount,
  findServerUser,
  nameOfAccount,
  type ServerUser,
} from './server-user.js';
import { refuseFolderOfOthers } from './trusted-path.js';

/**
 * Where root keeps files that the server's account must reach when it may not enter the data directory (a clone under /root). Not
 * /tmp: the record must survive a restart and a cleaning of temporary files.
 */
const SHARED_FOLDERS = ['/var/lib/hindsight', '/var/tmp/hindsight-0'];

/** The cluster's own folder, in the data directory or elsewhere. */
const CLUSTER = 'postgres';

/** File in the data directory that names the folder of a cluster kept elsewhere. */
const POINTER = 'postgres-location';

/**
 * Decides where the cluster of a data directory lives and which binaries run it; creates the data directory.
 * @throws UserError when there is no place for it, or root would have to trust another account's folder
 */
export function placeCluster(dataDirectory: string): Cluster {
  const binaries = findBinaries();
  const account = findServerUser();
  if (account !== undefined) refuseFolderOfOthers(dataDirectory);
  makeFolder(dataDirectory);
  const root = realpathSync(dataDirectory);
  if (account === undefined)
    return { home: findHome(root) ?? join(root, CLUSTER), binaries, user: undefined };
  // Checked again: in /tmp somebody else may have created it first.
  refuseFolderOfOthers(dataDirectory);
  const home = placeHome(root, account);
  refuseFolderOfOthers(home);
  const user = findOwner(dataFolder({ home })) ?? account;
  return { home, binaries: reachableBinaries(binaries, user), user };
}

/**
 * Whether a cluster of this data directory may exist. Creates nothing.
 * @throws an error with the code `EACCES` when we may not read the folder
 */
export function mayHaveCluster(dataDirectory: string): boolean {
  return [CLUSTER, POINTER].some(
    (name) => statSync(join(dataDirectory, name), { throwIfNoEntry: false }) !== undefined,
  );
}

/** Whether the cluster of this data directory lies outside it. */
export function livesElsewhere(cluster: Cluster, dataDirectory: string): boolean {
  return cluster.home !== join(realpathSync(dataDirectory), CLUSTER);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
  } catch (error) {
    // Inside a folder that we may not enter it may exist: then this throws as well.
    statSync(path, { throwIfNoEntry: false });
    throw explainMaking(path, error);
  }
}

function placeHome(root: string, account: ServerUser): string {
  const home = findHome(root);
  if (home !== undefined) return home;
  if (canTraverse(account, root)) return join(root, CLUSTER);
  writePointer(join(root, POINTER), account);
  return placeHome(root, account);
}

/** The home that the data directory points to; undefined when it points nowhere. */
function findHome(root: string): string | undefined {
  const pointer = join(root, POINTER);
  const folder = readOwnFile(pointer, [process.getuid?.() ?? 0])?.trim();
  if (folder === undefined) return undefined;
  if (existsSync(folder)) return join(folder, CLUSTER);
  throw new UserError(
    `The database of ${root} was kept in ${folder}, which is gone.`,
    `Restore it, or remove ${pointer} to begin a new, empty record.`,
  );
}

/**
 * Creates a folder elsewhere and records its path. The name is random: a data directory that is removed and created again must
 * not find the old record. The pointer appears whole or not at all, and of two simultaneous starts the first one wins.
 */
function writePointer(pointer: string, account: ServerUser): void {
  const name = randomBytes(8).toString('hex');
  const folder = join(makeSharedFolder(account), name);
  mkdirSync(folder, { mode: 0o755 });
  chmodSync(folder, 0o755);
  const draft = `${pointer}.${name}`;
  writeFileSync(draft, `${folder}\n`, { mode: 0o600 });
  try {
    linkSync(draft, pointer);
  } catch (error) {
    rmdirSync(folder);
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function reachableBinaries(binaries: PostgresBinaries, account: ServerUser): PostgresBinaries {
  if (canTraverse(account, join(binaries.directory, 'bin'))) return binaries;
  const copy = join(makeSharedFolder(account), `postgres-${binaries.version}-${process.arch}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.new-${randomBytes(6).toString('hex')}`;
    try {
      cpSync(binaries.directory, draft, { recursive: true, verbatimSymlinks: true });
      openToAll(draft);
      renameSync(draft, copy);
    } catch (error) {
      // Another start may have made the same copy in the meantime.
      if (!existsSync(copy)) {
        throw new UserError(`Cannot copy Postgres to ${copy}: ${messageOf(error)}`, USE_YOUR_OWN, 1, {
          cause: error,
        });
      }
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { ...binaries, directory: copy };
}

/** Lets everyone read and run folders and programs, whatever our umask. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

/** Only called as root. A folder that somebody else made, or could write to, is not used. */
function makeSharedFolder(account: ServerUser): string {
  const reasons: string[] = [];
  for (const folder of SHARED_FOLDERS) {
    try {
      mkdirSync(folder, { mode: 0o755 });
      chmodSync(folder, 0o755);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') {
        reasons.push(messageOf(error));
        continue;
      }
    }
    const found = lstatSync(folder);
    const isOurs = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0;
    if (isOurs && canTraverse(account, folder)) return folder;
    reasons.push(`${folder} does not belong to root alone, or cannot be reached`);
  }
  throw new UserError(
    `There is no place for the embedded Postgres that its account can reach: ${reasons.join('; ')}.`,
    `Use a --data-dir outside of closed folders. Or: ${USE_YOUR_OWN}`,
  );
}

/**
 * The account whose server made the cluster, since an account with a better name may have been added later. Only root can have
 * put the cluster into root's folder; even so, no server is started under a person's account.
 */
function findOwner(data: string): ServerUser | undefined {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const account = found.isDirectory() ? findServerAccount(found.uid) : undefined;
  if (account !== undefined) return account;
  throw new UserError(
    `${data} ${found.isDirectory() ? `belongs to ${nameOfAccount(found.uid)}` : 'is not a folder'}, so it is not a database that root's Hindsight made.`,
    'Run Hindsight as the account that made it, or give another --data-dir.',
  );
}
