import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** External programs that some specs run; `global-teardown.mjs` names their packages. */
export type OtherProgram =
  'prometheus' | 'promtool' | 'psql' | 'pgbouncer' | 'chromium' | 'curl' | 'jq' | 'python3' | 'script';

/** Modules of Python that examples of the pages import. */
export type PythonModule = 'pandas' | 'gql';

/** The place for a Python with all imports of the examples; `.ci/run` creates it. */
const OWN_PYTHON = '.venv/bin/python';

/** The Python that runs examples: that of `HINDSIGHT_TEST_PYTHON`, or else the checkout's own, or else the computer's. */
export const PYTHON =
  process.env['HINDSIGHT_TEST_PYTHON'] ?? (existsSync(OWN_PYTHON) ? resolve(OWN_PYTHON) : 'python3');

/** Whether this computer has a program. */
export function hasProgram(name: OtherProgram | 'redis-server' | 'helm'): boolean {
  return findProgram(name) !== undefined;
}

/** The path of a program; undefined if this computer lacks it. */
export function findProgram(name: OtherProgram | 'redis-server' | 'helm'): string | undefined {
  // Debian installs servers in a folder that only root has in its PATH.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const paths = folders.map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path));
}

/** Whether the Python of this computer has a module. */
export function hasPython(module: PythonModule): boolean {
  return spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;
}

/**
 * For specs with a part that needs a program: notes a missing program for the last lines of the run. With CI set, a missing
 * program is a failure.
 */
export function itHasProgram(name: OtherProgram): void {
  itHas(name, () => hasProgram(name));
}

/** Like `itHasProgram`, for a part that needs a module of Python. */
export function itHasPython(module: PythonModule): void {
  itHas(module, () => hasPython(module));
}

function itHas(name: string, isThere: () => boolean): void {
  it(`has ${name}, or reports that it is missing`, () => {
    if (isThere()) return;
    const folder = process.env['HINDSIGHT_TEST_FOLDER'];
    if (folder) writeFileSync(join(folder, `no-${name}`), '');
    if (process.env['CI']) throw new Error(`there is no ${name} for a part of these tests, and CI is set`);
  });
}
