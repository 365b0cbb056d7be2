import { existsSync } from 'node:fs';

/**
 * Where a file of this package is, from the sources as from the program that is built of them.
 * @param path below the package's folder: the nearest one up that has a manifest
 * @throws Error when there is none
 */
export function packageFile(path: string): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder);
    if (above.href === folder.href) throw new Error(`There is no package.json above ${import.meta.url}`);
    folder = above;
  }
  return new URL(path, folder);
}
