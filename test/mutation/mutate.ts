import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seededRandom } from '../support/seeded-random.js';
import { findMutants, type Mutant } from './mutants.js';

/**
 * Checks whether the specs of a domain folder notice small changes of its sources: `npm run mutate -- health --sample 60`. The
 * default is all folders; `.` means the files next to them.
 */
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['src', 'test', 'package.json', 'jest.config.mjs', 'tsconfig.json', 'vite.config.mjs'];
/** A mutant with an endless loop counts as noticed. */
const PATIENCE_MS = 180_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Mutants of each folder, drawn at random; all by default. */
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** Only mutants of `file` or `file:line`. */
    at: { type: 'string' },
  },
});

type Placed = Mutant & { readonly file: string };

const scratch = mkdtempSync(join(tmpdir(), 'hindsight-mutants-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
for (const name of COPIED) cpSync(join(PROJECT, name), join(scratch, name), { recursive: true });
symlinkSync(join(PROJECT, 'node_modules'), join(scratch, 'node_modules'));

for (const folder of positionals.length > 0 ? positionals : listFolders()) await mutateFolder(folder);

function listFolders(): string[] {
  const entries = readdirSync(join(PROJECT, 'src/domain'), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function mutateFolder(folder: string): Promise<void> {
  const path = join('src/domain', folder);
  if (await notices(path)) throw new Error(`The specs of ${path} fail without a change.`);
  const mutants = choose(readdirSync(join(PROJECT, path)).filter(isSource).flatMap(mutantsOf(path)));
  let killed = 0;
  for (const mutant of mutants) {
    const target = join(scratch, mutant.file);
    writeFileSync(target, mutant.source);
    const isKilled = await notices(path);
    cpSync(join(PROJECT, mutant.file), target);
    if (isKilled) killed += 1;
    else console.log(`survived  ${mutant.file}:${mutant.line}  ${mutant.before}  ->  ${mutant.after}`);
  }
  console.log(`${folder}: ${killed} of ${mutants.length} killed (seed ${values.seed})`);
}

function isSource(name: string): boolean {
  return name.endsWith('.ts') && !name.endsWith('.spec.ts');
}

function mutantsOf(path: string): (name: string) => Placed[] {
  return (name) => {
    const file = join(path, name);
    return findMutants(name, readFileSync(join(PROJECT, file), 'utf8')).map((mutant) => ({
      ...mutant,
      file,
    }));
  };
}

function choose(mutants: readonly Placed[]): readonly Placed[] {
  const [name, line] = values.at?.split(':') ?? [];
  const meant = mutants.filter(
    (mutant) =>
      (name === undefined || mutant.file.endsWith(`/${name}`)) &&
      (line === undefined || mutant.line === Number(line)),
  );
  if (values.sample === undefined) return meant;
  const random = seededRandom(Number(values.seed));
  const drawn = meant.map((mutant) => ({ mutant, lot: random() })).toSorted((a, b) => a.lot - b.lot);
  return drawn.slice(0, Number(values.sample)).map(({ mutant }) => mutant);
}

/** Whether a spec of the folder fails, in the copy. */
function notices(path: string): Promise<boolean> {
  const jest = join(PROJECT, 'node_modules/jest/bin/jest.js');
  const flags = ['--no-warnings', '--import', './test/support/typescript.mjs', jest, '--bail', '--silent'];
  const child = spawn(process.execPath, [...flags, '--runInBand', `${path}/[^/]+\\.spec\\.ts$`], {
    cwd: scratch,
    stdio: 'ignore',
    signal: AbortSignal.timeout(PATIENCE_MS),
    killSignal: 'SIGKILL',
  });
  // A timeout ends the process with an error.
  child.on('error', () => undefined);
  return new Promise((resolve) => child.once('close', (code) => resolve(code !== 0)));
}
