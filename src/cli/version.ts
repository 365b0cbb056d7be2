import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The version of this package, as its manifest has it: two folders up, from `src/cli` as from `dist/cli`. */
export function readVersion(): string {
  const manifest = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
