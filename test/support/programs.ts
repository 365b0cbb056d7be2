import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs of other projects that some specs run, and the package of Debian that has them. */
export type OtherProgram = 'prometheus' | 'promtool' | 'psql' | 'pgbouncer';

/** Modules of Python that examples of the pages import. */
export type PythonModule = 'pandas' | 'gql';

/** The Python that runs examples; one of a virtual environment where `HINDSIGHT_TEST_PYTHON` names it. */
export const PYTHON = process.env['HINDSIGHT_TEST_PYTHON'] ?? 'python3';

/** Whether this computer has a program. */
export function hasProgram(name: OtherProgram | 'redis-server'): boolean {
  return findProgram(name) !== undefined;
}

/** Where this computer has a program. */
export function findProgram(name: OtherProgram | 'redis-server' | 'chromium'): string | undefined {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path));
}

/** Whether the Python of this computer has a module. */
export function hasPython(module: PythonModule): boolean {
  return spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;
}

/**
 * For specs with a part that needs a program: notes where there is none, for the last lines of the run. With CI set, that is a
 * failure.
 */
export function itHasProgram(name: OtherProgram): void {
  itHas(name, () => hasProgram(name));
}

/** The same for a part that needs a module of Python. */
export function itHasPython(module: PythonModule): void {
  itHas(module, () => hasPython(module));
}

function itHas(name: string, isThere: () => boolean): void {
  it(`has ${name} to run, or says that it has not`, () => {
    if (isThere()) return;
    const folder = process.env['HINDSIGHT_TEST_FOLDER'];
    if (folder) writeFileSync(join(folder, `no-${name}`), '');
    if (process.env['CI']) throw new Error(`there is no ${name} for a part of these tests, and CI is set`);
  });
}
