import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf, UserError } from '../errors.js';
import { nameOfAccount } from './server-user.js';

/** 0 on systems without this flag. */
const NO_LINKS = constants.O_NOFOLLOW ?? 0;

/** Opening a pipe without a writer would block for ever. */
const NO_WAITING = constants.O_NONBLOCK ?? 0;

/**
 * Opens a file that is ours: a regular file of one of these accounts or of root. Links are refused: they may lead to a file of
 * somebody else's choice. Flags as in `open(2)`.
 * @returns its descriptor; undefined when there is no such file
 * @throws UserError when the file is not ours
 */
export function openOwnFile(path: string, flags: number, owners: readonly number[]): number | undefined {
  let file: number;
  try {
    file = openSync(path, flags | NO_LINKS | NO_WAITING, 0o600);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    // ENXIO: a socket, or a pipe without a reader.
    if (code === 'ELOOP' || code === 'EMLINK') throw notOurs(path, 'is a link');
    if (code === 'ENXIO') throw notOurs(path, 'is not an ordinary file');
    throw error;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw notOurs(path, 'is not an ordinary file');
    // Windows knows no such accounts.
    if (process.getuid !== undefined && found.uid !== 0 && !owners.includes(found.uid)) {
      throw notOurs(path, `belongs to ${nameOfAccount(found.uid)}`);
    }
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a file that is ours, see {@link openOwnFile}; undefined when there is none. */
export function readOwnFile(path: string, owners: readonly number[]): string | undefined {
  const file = openOwnFile(path, constants.O_RDONLY, owners);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function notOurs(path: string, what: string): UserError {
  return new UserError(
    `${path} ${what}; Hindsight opens only its own file there.`,
    'Find out who put it there. If you did, replace it with the file itself.',
  );
}
