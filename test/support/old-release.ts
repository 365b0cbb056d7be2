import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

const FIXTURES = 'test/fixtures/releases';

/** A release that came before, unpacked so that it runs. */
export interface OldRelease {
  /** Arguments of Node that start it, before its own. */
  readonly program: readonly string[];
  remove(): void;
}

/** Unpacks a release of `test/fixtures/releases`. It runs on the packages of this checkout. */
export function unpackRelease(name: string): OldRelease {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-release-'));
  const tar = brotliDecompressSync(readFileSync(join(FIXTURES, `${name}.tar.br`)));
  execFileSync('tar', ['-x', '-C', folder], { input: tar });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    program: [join(folder, 'dist/main.js')],
    remove: () => rmSync(folder, { recursive: true }),
  };
}
