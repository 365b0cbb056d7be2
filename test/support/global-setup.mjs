import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerIsAlive, placeOfFolders, PREFIX, removeTestFolder } from './test-folder.mjs';

const PROGRAM = 'dist/main.js';
const YEAR = 'dist/demo-year.ndjson.gz';
const YEAR_SOURCES = 'test/support/demo-year';
const PAGE = 'dist/pages/dashboard/index.html';

/**
 * Names a folder for the database server of this run; the first spec that needs the server starts it. Temporary files of specs
 * are in the folder as well.
 */
export default async function setUp() {
  const place = placeOfFolders();
  for (const name of readdirSync(place)) {
    const folder = join(place, name);
    // Killed runs leave their servers behind.
    if (name.startsWith(PREFIX) && !ownerIsAlive(folder)) await removeTestFolder(folder);
  }
  const folder = mkdtempSync(join(place, PREFIX));
  // As root, the server runs under another account, which needs access.
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'owner'), String(process.pid));
  process.env.HINDSIGHT_TEST_FOLDER = folder;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  // The mode of /tmp.
  chmodSync(temporary, 0o1777);
  process.env.TMPDIR = temporary;
  const sources = readdirSync('src', { recursive: true }).map((name) => join('src', name));
  const ofPages = sources.filter((path) =>
    /\/static\/|\/dashboard\/[^]*\.(?:tsx?|css|html|graphql)$/.test(path),
  );
  if (!isUpToDate(PAGE, ['vite.config.mjs', 'package.json', ...ofPages])) {
    const { build } = await import('vite');
    await build({ mode: 'production' });
  }
  const ofYear = [
    ...readdirSync(YEAR_SOURCES).map((name) => join(YEAR_SOURCES, name)),
    ...sources.filter((path) => /^src\/(?:domain|devnode|event-log)\/[^]*(?<!\.spec)\.ts$/.test(path)),
  ];
  if (!isUpToDate(YEAR, ofYear)) await import('./demo-year/write-year.ts');
  const ofProgram = sources.filter((path) => !/\.(?:spec\.ts|md)$/.test(path));
  // Tests then run the program that users run, which also starts sooner.
  const migrations = readdirSync('migrations').map((name) => join('migrations', name));
  const ofBuild = ['package.json', 'tsconfig.json', 'pack.mjs', ...migrations];
  if (isUpToDate(PROGRAM, [...ofBuild, ...ofProgram])) process.env.HINDSIGHT_TEST_PROGRAM ??= PROGRAM;
}

/** Whether a built file is newer than all its sources. */
function isUpToDate(built, sources) {
  if (!existsSync(built)) return false;
  const builtAt = statSync(built).mtimeMs;
  return sources.every((path) => statSync(path).mtimeMs <= builtAt);
}
