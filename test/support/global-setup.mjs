import { chmodSync, existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTestFolder, PREFIX, ownerIsAlive } from './test-folder.mjs';

const BUILT = 'dist/main.js';

/** Names a folder for the database server of this run; the server is started by the first spec that asks for one. */
export default async function setUp() {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name);
    // A run that was killed left its server behind.
    if (name.startsWith(PREFIX) && !ownerIsAlive(folder)) await removeTestFolder(folder);
  }
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // Under root the server runs under another account, which must get in.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'owner'), String(process.pid));
  process.env.HINDSIGHT_TEST_FOLDER = folder;
  if (isUpToDate(BUILT)) process.env.HINDSIGHT_TEST_PROGRAM ??= BUILT;
}

/** Whether nothing that a program is built from is newer. What users run is then what is tested, and starts sooner. */
function isUpToDate(program) {
  if (!existsSync(program)) return false;
  const builtAt = statSync(program).mtimeMs;
  const sources = readdirSync('src', { recursive: true }).map((name) => join('src', name));
  return ['package.json', 'tsconfig.json', 'tsconfig.build.json', ...sources]
    .filter((path) => !/\.(?:spec\.ts|md)$/.test(path))
    .every((path) => statSync(path).mtimeMs <= builtAt);
}
