import { statSync } from 'node:fs';
import { codeOf, messageOf, UserError } from '../errors.js';
import type { Cluster } from './cluster.js';
import { findLastWords, logPath, readEndOfLog } from './server-log.js';
import { nameOfAccount } from './server-user.js';

/** Explains why the server of a cluster, lost at `lostAt` (Unix milliseconds), ended, and what to do about it. */
export function explainEnd(cluster: Cluster, lostAt: number): UserError {
  const reason = findLastWords(readEndOfLog(cluster), lostAt);
  const words = reason ?? 'it was killed without a log message, perhaps by the system for lack of memory';
  return new UserError(
    `The embedded Postgres in ${cluster.home} ended: ${words}.`,
    `${firstOf(words)} Hindsight again. The log of Postgres is ${logPath(cluster)}.`,
  );
}

function firstOf(words: string): string {
  if (/No space left/i.test(words)) return 'Free space on its disk, then start';
  if (/memory|signal 9/i.test(words)) return 'Free memory on this computer, then start';
  return 'Start';
}

/** Explains a denied file or folder (`EACCES`, `EPERM`); undefined for any other error. */
export function explainRefusal(error: unknown, dataDirectory: string): UserError | undefined {
  const code = codeOf(error);
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  const owner = findOwner(dataDirectory);
  const account =
    owner === undefined ? 'the account of the recording service' : `${owner}, the owner (sudo -u ${owner} …)`;
  return new UserError(
    `This account may not read the record in ${dataDirectory}: ${messageOf(error)}`,
    `Run Hindsight as ${account}, or use the API of its service.`,
    1,
    { cause: error },
  );
}

function findOwner(path: string): string | undefined {
  try {
    return nameOfAccount(statSync(path).uid);
  } catch {
    // Inside a folder that we may not enter, even the owner is hidden.
    return undefined;
  }
}
