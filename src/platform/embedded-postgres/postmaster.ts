import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { codeOf } from '../errors.js';
import { readOwnFile } from './own-file.js';

/** The main process of a server, as described in `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** False while the server is starting or stopping. */
  readonly ready: boolean;
}

/** A fast shutdown (which writes a checkpoint) may take this long before an immediate one. */
const FAST_SHUTDOWN_MS = 1_500;
const IMMEDIATE_SHUTDOWN_MS = 500;

/** The server that runs on a cluster's data folder, whoever started it. The file of a dead server is ignored. */
export function findPostmaster(data: string): Postmaster | undefined {
  const postmaster = readPidFile(join(data, 'postmaster.pid'));
  return postmaster !== undefined && servesFolder(postmaster.pid, data) ? postmaster : undefined;
}

function readPidFile(path: string): Postmaster | undefined {
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  const lines = folder && readOwnFile(path, [folder.uid])?.split('\n');
  if (lines === undefined) return undefined;
  // Line by line: process id, data folder, start, port, socket folder, address, shared memory, status.
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), ready: lines[7]?.trim() === 'ready' };
}

/**
 * Removes the lock file of a dead server whose process number now belongs to another process, as is likely in a container after a
 * restart. Postgres itself only removes the file when no process has that number.
 */
export function discardStalePidFile(data: string): void {
  const path = join(data, 'postmaster.pid');
  const stale = readPidFile(path);
  if (stale === undefined || !isAlive(stale.pid) || servesFolder(stale.pid, data)) return;
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  // If another start wrote its own file in between, we have moved that file: put it back.
  if (readPidFile(aside)?.pid === stale.pid) rmSync(aside);
  else renameSync(aside, path);
}

/** Whether a process with this number exists, under whatever account. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** The command line of a process; undefined when the system does not show it. */
export function commandOf(pid: number): string | undefined {
  try {
    return (
      execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
    );
  } catch {
    return readProc(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() || undefined;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A process number alone proves nothing, as numbers are reused: the process must work in this folder. */
function servesFolder(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return commandOf(pid)?.includes(data) ?? false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data);
  } catch {
    return false;
  }
}

/**
 * Stops a server: fast first, then without a checkpoint (the next start recovers from the write-ahead log). Returns
 * when it is gone, after 2.5 s at most.
 */
export async function stopPostmaster(data: string, pid: number, clock: Clock): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
    ['SIGKILL', IMMEDIATE_SHUTDOWN_MS],
  ];
  for (const [signal, patienceMs] of steps) {
    if (!servesFolder(pid, data)) return;
    signalPostmaster(pid, signal);
    const deadline = clock.monotonic() + patienceMs;
    while (clock.monotonic() < deadline) {
      if (!servesFolder(pid, data)) return;
      await clock.sleep(20);
    }
  }
}

/** Sends a signal; a process that has just gone is no error. */
export function signalPostmaster(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
