import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The cache of compiled sources, one file per source. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/typescript', import.meta.url));

const { version } = createRequire(import.meta.url)('@swc/core/package.json');

/** Decorators need this, with their metadata for Nest. */
const OPTIONS = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    target: 'es2023',
    keepClassNames: true,
  },
};

/** A relative import of `x.js` in a source means `x.ts`. */
export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true };
}

/** Compiles a source, unless the cache has it. */
async function compile(filename) {
  const text = await readFile(filename, 'utf8');
  const mark = `\n// ${digest(version, JSON.stringify(OPTIONS), text)}`;
  const cached = join(CACHE, `${digest(filename)}.js`);
  const known = await readFile(cached, 'utf8').catch(() => '');
  if (known.endsWith(mark)) return known;
  const { transform } = await import('@swc/core');
  const { code } = await transform(text, { ...OPTIONS, filename });
  await keep(cached, code + mark);
  return code;
}

/** Other processes may read the file at the same time. An output that cannot be kept is compiled again. */
async function keep(file, text) {
  const unfinished = `${file}.${process.pid}`;
  try {
    await mkdir(CACHE, { recursive: true });
    await writeFile(unfinished, text);
    await rename(unfinished, file);
  } catch {
    // The folder may not be writable.
  }
}

function digest(...texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
}
