import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, UserError } from '../errors.js';
import { nameOfAccount } from './server-user.js';

/** Sticky bit: only the owner of an entry can move it away, even where others may write to the folder (/tmp). */
const STICKY = 0o1000;
const OTHERS_WRITE = 0o022;

/** Why somebody other than root could choose what lies at a path. */
interface Weakness {
  readonly path: string;
  /** The path belongs to this account; undefined when it belongs to root, but others can write to it. */
  readonly owner?: number;
}

/**
 * Only called as root. Root must not read, write or pass to a server what others own or can replace.
 * @param path a folder for root's data; it need not exist yet, the folders above it are checked anyway
 * @throws UserError when anybody else can change it, or any folder on the way to it
 */
export function refuseFolderOfOthers(path: string): void {
  const weakness = findWeakness(resolve(path), false);
  if (weakness === undefined) return;
  const { owner } = weakness;
  const elsewhere = `give it a --data-dir that belongs to root alone, such as a folder in /var/lib`;
  if (owner === undefined) {
    throw new UserError(
      `As root, Hindsight does not keep data in ${path}: other accounts can write to ${weakness.path}.`,
      `Remove that right (chmod go-w ${weakness.path}), or ${elsewhere}.`,
    );
  }
  const name = nameOfAccount(owner);
  throw new UserError(
    `As root, Hindsight does not keep data in ${path}: ${weakness.path} belongs to ${name}.`,
    `Run Hindsight as that account (sudo -u ${name} …), or ${elsewhere}; the data that root recorded there can be moved.`,
  );
}

/** Checks from the top down: an account that may change a folder controls everything below it. */
function findWeakness(path: string, isAbove: boolean): Weakness | undefined {
  const parent = dirname(path);
  if (parent !== path) {
    const above = findWeakness(parent, true);
    if (above !== undefined) return above;
  }
  let found;
  try {
    found = lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (found.uid !== 0) return { path, owner: found.uid };
  if (found.isSymbolicLink()) {
    return findWeakness(resolve(realpathSync(parent), readlinkSync(path)), isAbove);
  }
  const isOpen = (found.mode & OTHERS_WRITE) !== 0;
  // In the folder itself, strangers must not even create a file before we do.
  const isHarmless = isAbove && (found.mode & STICKY) !== 0;
  return isOpen && !isHarmless ? { path } : undefined;
}
