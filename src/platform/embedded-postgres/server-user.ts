import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../errors.js';
import { USE_YOUR_OWN } from './binaries.js';

export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** An account shared by services that have none of their own: each of them can read its files. */
export const SHARED_ACCOUNT = 'nobody';

/** Unprivileged accounts that a system is likely to have, the best first. */
const CANDIDATES = ['hindsight', 'postgres', SHARED_ACCOUNT];

/**
 * Postgres refuses to run as root, so root's server runs under another account.
 * @returns undefined when we are not root: the server then runs as we do
 * @throws UserError when root has no such account
 */
export function findServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [best] = serverAccounts();
  if (best !== undefined) return best;
  throw new UserError(
    `Postgres does not run as root, and there is no account "${CANDIDATES.join('" or "')}" to run it under.`,
    `Start Hindsight as an ordinary user. Or: ${USE_YOUR_OWN}`,
  );
}

/** The account with this number, if root's server may run under it. */
export function findServerAccount(uid: number): ServerUser | undefined {
  return serverAccounts().find((account) => account.uid === uid);
}

/** The name of an account; its number in words when the system has no name for it. */
export function nameOfAccount(uid: number): string {
  return readAccounts().find((account) => account.uid === uid)?.name ?? `the account with number ${uid}`;
}

function serverAccounts(): ServerUser[] {
  const accounts = readAccounts();
  return CANDIDATES.flatMap(
    (name) => accounts.find((account) => account.name === name && account.uid !== 0) ?? [],
  );
}

function readAccounts(): ServerUser[] {
  const accounts: ServerUser[] = [];
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid) accounts.push({ name, uid: Number(uid), gid: Number(gid) });
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
