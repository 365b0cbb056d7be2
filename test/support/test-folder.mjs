import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
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

/** Stops the servers in a folder of a test run and removes the folder. */
export async function removeTestFolder(folder) {
  const pidFile = join(folder, 'postgres', 'data', 'postmaster.pid');
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    if (worksFor(pid, folder)) process.kill(pid, 'SIGQUIT');
    for (let tries = 0; tries < 100 && existsSync(pidFile); tries += 1) await sleep(50);
  }
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const redis = join(folder, name, 'pid');
    if (!name.startsWith('redis-') || !existsSync(redis)) continue;
    const pid = Number(readFileSync(redis, 'utf8'));
    if (worksFor(pid, folder)) process.kill(pid, 'SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Process ids are reused; only a process that was started for this folder may be ended. */
function worksFor(pid, folder) {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(folder);
  } catch {
    return false;
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
