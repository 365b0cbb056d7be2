import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../errors.js';
import { USE_YOUR_OWN } from './binaries.js';

/** The account a server runs under. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Unprivileged accounts that a system is likely to have, the best first. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * Postgres refuses to run as root, so root's server runs under another account.
 * @returns undefined when we are not root: the server then runs as we do
 * @throws UserError when root has no such account
 */
export function findServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  for (const name of CANDIDATES) {
    const user = accounts.get(name);
    if (user !== undefined && user.uid !== 0) return user;
  }
  throw new UserError(
    `Postgres does not run as root, and there is no account "${CANDIDATES.join('" or "')}" to run it under.`,
    `Start Hindsight as an ordinary user. Or: ${USE_YOUR_OWN}`,
  );
}

function readAccounts(): Map<string, ServerUser> {
  const accounts = new Map<string, ServerUser>();
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}

/** Whether the user may pass through `path` and every folder above it, by owner, group and mode. */
export function canTraverse(user: ServerUser, path: string): boolean {
  const { uid, gid, mode } = statSync(path);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  const parent = dirname(path);
  return parent === path || canTraverse(user, parent);
}
