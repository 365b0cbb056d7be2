import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const PREFIX = 'hindsight-test-';

/** Linux's folder in memory, and the free space that a run needs there. */
const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 4e9;

/**
 * The place of run folders. A fresh database is five hundred files, which take ten times as long on a disk as in memory. TMPDIR
 * names another place.
 */
export function placeOfFolders() {
  if (process.env.TMPDIR || !existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ROOM_BYTES ? IN_MEMORY : tmpdir();
}

/** Whether the test run of a folder is still running (or is just starting and has not written its process id). */
export function ownerIsAlive(folder) {
  const owner = join(folder, 'owner');
  return !existsSync(owner) || isAlive(Number(readFileSync(owner, 'utf8')));
}

/** Ends what still runs in a folder of a test run, such as servers of specs that were killed, and removes the folder. */
export async function removeTestFolder(folder) {
  for (let tries = 0; tries < 100; tries += 1) {
    const left = processesOf(folder);
    if (left.length === 0) break;
    // SIGQUIT makes Postgres end its sessions too.
    if (tries === 0)
      for (const { pid, command } of left) end(pid, /postgres/.test(command) ? 'SIGQUIT' : 'SIGKILL');
    await sleep(50);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** The processes whose command line names the folder. */
function processesOf(folder) {
  const lines = execFileSync('ps', ['-eo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, command] = /^ *(\d+) (.*)$/.exec(line) ?? [];
    return command?.includes(folder) && Number(pid) !== process.pid ? [{ pid: Number(pid), command }] : [];
  });
}

function end(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
