import { messageOf, UserError } from '../errors.js';
import { USE_YOUR_OWN } from './binaries.js';

/** The causes for which a folder cannot take a database, in the words of Node and of Postgres, and what to do about each. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /could not look up effective user/i,
    'Run Hindsight as an account of /etc/passwd, as Postgres needs its name: in a container --user 1000 or runAsUser: 1000, where the image has that account.',
  ],
  [/ENOSPC|EDQUOT|No space left/i, 'Free space on its disk, or choose another --data-dir.'],
  [/EROFS|Read-only file system/i, 'Choose a --data-dir on a file system that can be written to.'],
  [
    /EACCES|EPERM|Permission denied|not permitted/i,
    'Give this account the right to write there, or choose another --data-dir.',
  ],
];

/** Explains why no database can be made in a folder. */
export function explainMaking(folder: string, error: unknown): UserError {
  const reason = messageOf(error);
  const [, remedy = 'Choose another --data-dir.'] = REMEDIES.find(([words]) => words.test(reason)) ?? [];
  return new UserError(`Cannot make a database in ${folder}: ${reason}`, `${remedy} Or: ${USE_YOUR_OWN}`, 1, {
    cause: error,
  });
}
