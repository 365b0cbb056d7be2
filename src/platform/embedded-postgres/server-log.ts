import { closeSync, constants, fstatSync, ftruncateSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownersOf, type Cluster } from './cluster.js';
import { openOwnFile } from './own-file.js';

/** A longer log is moved to `server.log.1`, replacing the previous one. */
export const LOG_LIMIT_BYTES = 5_000_000;

/** Bytes that are read from the end of a dead server's log. */
const TAIL_BYTES = 64_000;

/** Lines that are older when a server is lost have nothing to do with the loss. */
const LAST_WORDS_MS = 60_000;

/** Begins every line of the log with its time, which `findLastWords` reads. */
export const LOG_LINE_PREFIX = '%m [%p] ';
const LINE_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC /;

/** Matches the first line of a server. */
const BEGINNING = /\bLOG: +starting PostgreSQL /;

/** Complaints of single connections, which end because the server ends. */
const OF_CONNECTIONS =
  /the database system is|terminating |password authentication|connection to client lost/;

/** Reasons why servers end, the clearest first: lines after a reason are mostly its consequence. */
const REASONS = [
  /PANIC/,
  /No space left|out of memory|could not (write|fsync|extend|fork)|Read-only file system|Input\/output error/i,
  /FATAL/,
  /terminated by signal/,
  /received (fast|immediate|smart) shutdown request/,
];

export function logPath(cluster: Cluster): string {
  return join(cluster.home, 'server.log');
}

/** The server's log, opened for appending, and where this start begins in it. */
export interface ServerLog {
  readonly cluster: Cluster;
  readonly file: number;
  readonly offset: number;
}

/** Opens the log for a server that is about to start. The caller closes `file`. */
export function openLog(cluster: Cluster): ServerLog {
  shortenLog(cluster);
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const file = openOwnFile(logPath(cluster), O_WRONLY | O_APPEND | O_CREAT, ownersOf(cluster));
  if (file === undefined) throw new Error(`${logPath(cluster)} was removed while it was opened`);
  return { cluster, file, offset: fstatSync(file).size };
}

/**
 * Moves the content of a log that has become too long to `server.log.1`. A running server continues to write to the same file, at
 * its new end. A line written at this very moment may be lost.
 */
export function shortenLog(cluster: Cluster): void {
  const file = openOwnFile(logPath(cluster), constants.O_RDWR, ownersOf(cluster));
  if (file === undefined) return;
  try {
    const { size } = fstatSync(file);
    if (size <= LOG_LIMIT_BYTES) return;
    const aside = `${logPath(cluster)}.1`;
    rmSync(aside, { force: true });
    try {
      writeFileSync(aside, readEnd(file, LOG_LIMIT_BYTES), { flag: 'wx', mode: 0o600 });
    } catch {
      // On a full disk, free space is worth more than old lines.
      rmSync(aside, { force: true });
    }
    ftruncateSync(file, 0);
  } finally {
    closeSync(file);
  }
}

/** The last complaint, since this start, of a server that did not come up. */
export function lastComplaint({ cluster, offset }: ServerLog): string | undefined {
  const lines = readTail(cluster, offset).split('\n');
  const line = lines.findLast((text) => /FATAL|PANIC|could not|No space left/.test(text));
  return line && toComplaint(line);
}

/** The end of the server's log; its first line may be cut. */
export function readEndOfLog(cluster: Cluster): string {
  return readTail(cluster, 0);
}

/**
 * Why a server ended, in its own words.
 * @param lostAt when it was lost, in Unix milliseconds
 * @returns undefined when the log gives no reason
 */
export function findLastWords(log: string, lostAt: number): string | undefined {
  const timed = log.split('\n').map((line) => ({ line, at: timeOf(line) }));
  // Earlier lines are from another server, which may have been stopped a moment ago.
  const start = timed.findLastIndex(({ line, at }) => at <= lostAt && BEGINNING.test(line));
  const lines = timed
    .slice(start + 1)
    .filter(({ line, at }) => at >= lostAt - LAST_WORDS_MS && !OF_CONNECTIONS.test(line))
    .map(({ line }) => line);
  for (const reason of REASONS) {
    const line = lines.findLast((text) => reason.test(text));
    if (line !== undefined) return toComplaint(line);
  }
  return undefined;
}

/** Unix milliseconds; NaN for a line without a time. */
function timeOf(line: string): number {
  const [, day, time] = LINE_TIME.exec(line) ?? [];
  return Date.parse(`${day}T${time}Z`);
}

function toComplaint(line: string): string {
  return line.replace(/^.*?(FATAL|PANIC|ERROR|LOG|WARNING): */, '').trim();
}

/** At most the last `TAIL_BYTES` after an offset; if the log was shortened since, of all that is left. */
function readTail(cluster: Cluster, offset: number): string {
  const file = openOwnFile(logPath(cluster), constants.O_RDONLY, ownersOf(cluster));
  if (file === undefined) return '';
  try {
    const { size } = fstatSync(file);
    return readEnd(file, Math.min(TAIL_BYTES, offset <= size ? size - offset : size)).toString('utf8');
  } finally {
    closeSync(file);
  }
}

function readEnd(file: number, bytes: number): Buffer {
  const { size } = fstatSync(file);
  const buffer = Buffer.alloc(Math.min(bytes, size));
  const count = readSync(file, buffer, 0, buffer.length, size - buffer.length);
  return buffer.subarray(0, count);
}
