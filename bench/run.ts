import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judge, toTable, type Bench, type BenchOptions, type Figure } from './support/figures.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const RESULTS = new URL('./results/', import.meta.url);
const SUFFIX = '.bench.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    nodes: { type: 'string' },
    /** Internal: the only bench that this process runs. */
    only: { type: 'string' },
  },
});
const options: BenchOptions = { seconds: toCount(values.seconds), nodes: toCount(values.nodes) };

if (values.only === undefined) {
  process.exitCode = await runAll(chooseBenches(positionals));
} else {
  const bench = await loadBench(values.only);
  console.log(`${values.only}: ${bench.about} ...`);
  const figures = await bench.run(options);
  process.send?.(figures);
  process.disconnect?.();
}

/** Runs each bench in its own process, so that no bench inherits another's heap or compiled code. */
async function runAll(names: readonly string[]): Promise<number> {
  mkdirSync(RESULTS, { recursive: true });
  const cores = availableParallelism();
  console.log(`Node ${process.versions.node}, ${cores} cores. Only ratios of one run mean anything.\n`);
  const all: Figure[] = [];
  let hasFailed = false;
  for (const name of names) {
    const figures = await runApart(name);
    hasFailed ||= figures === undefined;
    const file = new URL(`${name}.json`, RESULTS);
    const judged = (figures ?? []).map((figure) => ({ ...figure, verdict: judge(figure) }));
    writeFileSync(
      file,
      `${JSON.stringify({ name, node: process.versions.node, cores, figures: judged }, null, 2)}\n`,
    );
    all.push(...(figures ?? []));
  }
  console.log(`\n${toTable(all)}`);
  return hasFailed || all.some((figure) => judge(figure) === 'MISSED') ? 1 : 0;
}

/** Undefined when the process failed; the process has printed the reason. */
async function runApart(name: string): Promise<Figure[] | undefined> {
  const child = fork(fileURLToPath(import.meta.url), ['--only', name, ...process.argv.slice(2)], {
    execArgv: [...process.execArgv, '--expose-gc'],
    serialization: 'advanced',
  });
  let figures: Figure[] | undefined;
  child.once('message', (message) => (figures = message as Figure[]));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0 ? figures : undefined;
}

function chooseBenches(wanted: readonly string[]): string[] {
  const known = readdirSync(FOLDER)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
    process.exit(2);
  }
  return wanted.length > 0 ? [...wanted] : known;
}

async function loadBench(name: string): Promise<Bench> {
  const module = (await import(new URL(`./${name}${SUFFIX}`, import.meta.url).href)) as { bench: Bench };
  return module.bench;
}

function toCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    console.error(`${text} is not a whole number above 0.`);
    process.exit(2);
  }
  return count;
}
