import { existsSync } from 'node:fs';

/**
 * URL of a file of this package, both from the sources and from the built program.
 * @param path relative to the package folder: the nearest folder up with a package.json
 * @throws Error when there is no such folder
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

/**
 * URL of a file that the build makes, both from the sources and from the built program.
 * @param path relative to the built package, which is the folder `dist` of the sources
 */
export function builtFile(path: string): URL {
  const built = packageFile(path);
  return existsSync(built) ? built : packageFile(`dist/${path}`);
}
