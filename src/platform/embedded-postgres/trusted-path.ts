import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, UserError } from '../errors.js';
import { nameOfAccount } from './server-user.js';

/** A folder in which an entry can be moved away only by its owner, whoever may write there (/tmp). */
const STICKY = 0o1000;
const OTHERS_WRITE = 0o022;

/** Why somebody other than root could choose what lies at a path. */
interface Weakness {
  readonly path: string;
  /** It belongs to this account; undefined: to root, but others can write to it. */
  readonly owner?: number;
}

/**
 * Only root comes here. What others own, or can put another in the place of, root would read, write and hand to a
 * server on their behalf.
 * @param path a folder for root's data; it need not be there yet, the folders above it are looked at all the same
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

/** From the top down, since whoever may change a folder decides about all that is below it. */
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
  // In the folder itself a stranger must not even make a file that we have not made yet.
  const isHarmless = isAbove && (found.mode & STICKY) !== 0;
  return isOpen && !isHarmless ? { path } : undefined;
}
