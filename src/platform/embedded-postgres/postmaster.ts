import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { codeOf } from '../errors.js';
import { readOwnFile } from './own-file.js';

/** What the main process of a server says of itself in `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** It answers; else it is still starting, or already stopping. */
  readonly ready: boolean;
}

/** How long a fast shutdown (which writes a checkpoint) may take before the server is told to drop everything. */
const FAST_SHUTDOWN_MS = 1_500;
const IMMEDIATE_SHUTDOWN_MS = 500;

/** The server that is running on a cluster's data folder, whoever started it. A file that a dead one left is not believed. */
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
 * Postgres itself removes a lock file of a dead process. But it takes any living process that has got the same number
 * since for a server, as is likely in a container after a restart. Such a file is put aside here.
 */
export function discardStalePidFile(data: string): void {
  const path = join(data, 'postmaster.pid');
  const stale = readPidFile(path);
  if (stale === undefined || !isAlive(stale.pid) || servesFolder(stale.pid, data)) return;
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  // Had another start written its own file in between, that one is now in our hands: give it back.
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

/** The command line of a process, as far as the system tells it. */
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

/** A process number alone proves nothing, numbers are used again: the process must work in this folder. */
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
