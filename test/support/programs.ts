import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs of other projects that some specs run, and the package of Debian that has them. */
export type OtherProgram = 'prometheus' | 'promtool' | 'psql';

/** Whether this computer has a program. */
export function hasProgram(name: OtherProgram | 'redis-server'): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/**
 * For specs with a part that needs a program: notes where there is none, for the last lines of the run. With CI set, that is a
 * failure.
 */
export function itHasProgram(name: OtherProgram): void {
  it(`has ${name} to run, or says that it has not`, () => {
    if (hasProgram(name)) return;
    const folder = process.env['HINDSIGHT_TEST_FOLDER'];
    if (folder) writeFileSync(join(folder, `no-${name}`), '');
    if (process.env['CI']) throw new Error(`there is no ${name} for a part of these tests, and CI is set`);
  });
}
