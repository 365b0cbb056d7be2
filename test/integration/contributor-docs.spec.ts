import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { eventsOn } from '../../src/domain/event-shape.js';
import { STREAM_KINDS } from '../../src/domain/events.js';

/** About two printed pages, without the table of folders. */
const LONGEST_ARCHITECTURE = 1_000;
const MOST_TERMS = 40;
/** About a page, or a page and a half; a decision is shorter. */
const LONGEST_README = 650;
const LONGEST_RECORD = 900;
const LONGEST_DECISION = 400;

const DECISIONS = 'docs/decisions';
const textOf = (path: string) => readFileSync(path, 'utf8');
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => posix.join(folder, name));
const FILES = ['src', 'test', 'docs', 'migrations', 'packaging'].flatMap(filesIn);
const READMES = FILES.filter((path) => path.startsWith('src/') && path.endsWith('/README.md'));
const DECIDED = FILES.filter((path) => path.startsWith(`${DECISIONS}/`));
const PAGES = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...READMES, ...DECIDED];

/** The text under a heading, up to the next heading of its rank. */
function sectionOf(path: string, heading: string): string {
  const [, section] = textOf(path).split(`\n## ${heading}\n`);
  return section?.split('\n## ')[0] ?? '';
}

/** The cells of the rows of a text's tables, without headings. */
function rowsOf(text: string): string[][] {
  const rows = [...text.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '));
  return rows.slice(1);
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function linksOf(path: string): { target: string; anchor: string | undefined }[] {
  return [...textOf(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)].map(([, target, anchor]) => ({
    target: target ? posix.join(dirname(path), target) : path,
    anchor,
  }));
}

describe('the pages for contributors', () => {
  it.each(PAGES)('link to targets that exist: %s', (page) => {
    const known = new Set([
      ...FILES,
      'ARCHITECTURE.md',
      'CODE_OF_CONDUCT.md',
      'CONTRIBUTING.md',
      'README.md',
      'SECURITY.md',
    ]);
    const missing = linksOf(page).filter(
      ({ target, anchor }) => !known.has(target) || (anchor && !anchorsOf(target).includes(anchor)),
    );
    expect(missing).toEqual([]);
  });

  it.each(PAGES)('name files that exist: %s', (page) => {
    const named = [...textOf(page).matchAll(/`([\w/.-]+\.ts)`/g)].flatMap(([, name]) => name ?? []);
    expect(named.filter((name) => !FILES.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
  });

  it('are each linked from ARCHITECTURE.md, or from the README of a stage', () => {
    const led = new Set(['ARCHITECTURE.md', ...READMES].flatMap(linksOf).map(({ target }) => target));
    expect([...READMES, ...DECIDED].filter((path) => !led.has(path))).toEqual([]);
  });

  it('are no longer than a newcomer reads', () => {
    const lengths = [...READMES, ...DECIDED].map((path) => {
      const most = path.startsWith(DECISIONS) ? LONGEST_DECISION : LONGEST_README;
      return { path, words: wordsIn(textOf(path)), most: path.includes('/record/') ? LONGEST_RECORD : most };
    });
    expect(lengths.filter(({ words, most }) => words > most)).toEqual([]);
    const folders = rowsOf(sectionOf('ARCHITECTURE.md', 'Folders and what they may import'));
    const other = wordsIn(textOf('ARCHITECTURE.md')) - wordsIn(folders.flat().join(' '));
    expect(other).toBeLessThanOrEqual(LONGEST_ARCHITECTURE);
  });
});

describe('ARCHITECTURE.md', () => {
  it('has few words to learn, each once', () => {
    const terms = rowsOf(sectionOf('ARCHITECTURE.md', 'Words')).flatMap(([cell = '']) => cell.split(', '));
    expect(terms).toEqual([...new Set(terms)]);
    expect(terms.length).toBeGreaterThan(MOST_TERMS / 2);
    expect(terms.length).toBeLessThanOrEqual(MOST_TERMS);
  });

  it('says what lint lets each folder import', () => {
    const told = rowsOf(sectionOf('ARCHITECTURE.md', 'Folders and what they may import')).flatMap(
      ([folder = '', , imports = '']): [string, string[]][] =>
        imports === 'every stage' ? [] : [[folder.replace(/[`/]/g, ''), importsOf(imports)]],
    );
    expect(Object.fromEntries(told)).toEqual(lintedImports());
  });
});

describe('the README of the event log', () => {
  it('lists every event under its stream', () => {
    const told = new Map<string, string[]>();
    for (const [stream = '', events = ''] of rowsOf(textOf('src/event-log/README.md'))) {
      const kind = /^`<\w+>\/(\w+)`$/.exec(stream)?.[1] ?? stream;
      const names = [...events.matchAll(/`([A-Z]\w+)`/g)].flatMap(([, name]) => name ?? []);
      told.set(kind, [...(told.get(kind) ?? []), ...names]);
    }
    const sorted = (names: readonly string[]) => names.toSorted();
    const known = STREAM_KINDS.map((kind) => [kind, sorted(eventsOn(kind))]);
    expect(Object.fromEntries([...told].map(([kind, names]) => [kind, sorted(names)]))).toEqual(
      Object.fromEntries(known),
    );
  });
});

/** The folders of `src/` that a cell of the table allows: `domain, platform/{errors,role}.ts` are three. */
function importsOf(cell: string): string[] {
  const names = cell.replaceAll('`', '').match(/[^,{} ]*\{[^}]*\}[^, ]*|[^, ]+/g) ?? [];
  return names
    .filter((name) => name !== 'node:crypto')
    .flatMap((name) => {
      const [, before = '', inside, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
      return inside === undefined ? [name] : inside.split(',').map((part) => before + part + after);
    })
    .toSorted();
}

/** The imports that dependency-cruiser lets each folder have. */
function lintedImports(): Record<string, string[]> {
  interface Rule {
    readonly name: string;
    readonly to: { readonly pathNot?: string };
  }
  const load = createRequire(import.meta.url);
  const { forbidden } = load(join(process.cwd(), '.dependency-cruiser.cjs')) as { forbidden: Rule[] };
  const rules = forbidden.flatMap(({ name, to }): [string, string[]][] => {
    const folder = /^(.+)-imports-only-what-is-before-it$/.exec(name)?.[1];
    const allowed = /^\^src\/\((.+)\)\(\/\|\$\)$/.exec(to.pathNot ?? '')?.[1];
    if (folder === undefined || allowed === undefined) return [];
    return [[folder, allowed.split('|').filter((each) => each !== folder)]];
  });
  return Object.fromEntries(rules.map(([folder, allowed]) => [folder, allowed.toSorted()]));
}
