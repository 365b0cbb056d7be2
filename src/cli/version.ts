import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { packageFile } from '../platform/package-files.js';

export function readVersion(): string {
  const manifest = readFileSync(packageFile('package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}
