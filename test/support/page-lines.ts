import { readFileSync } from 'node:fs';
import { blocksOf } from './page-blocks.js';

/** Lines that are not run against a demo, by a word in them, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  ' start ': 'runs until it is stopped',
  ' devnode ': 'runs until it is stopped',
  '/dev/fault': 'needs a devnode at port 7331',
  localhost: 'needs a node at port 7331',
  'worker-1': 'needs a service elsewhere',
  '/backup/': 'needs a folder for backups',
  ' ID': 'names no real incident or silence',
  '/srv/copy': 'needs an empty folder and a backup',
  ' import ': 'needs a file of the user',
  ' keys ': 'a key closes the demo to those who have none',
  $ask: 'run with the rest of its block, by each program of that page',
};

/** The lines of a page that run the program or call it by curl, without comments, in their order. */
export function linesOf(page: string): string[] {
  const fenced = blocksOf(page).flatMap(({ language, text: block }) => (language === 'sh' ? [block] : []));
  const indented = [...readFileSync(page, 'utf8').matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line);
  return [...fenced, ...indented]
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/ +#.*$/, ''))
    .filter((line) => /^(?:hindsight|node dist\/main\.js|curl) /.test(line));
}

/** Whether a line can be run against a demo. */
export function isRunnable(line: string): boolean {
  return !Object.keys(NOT_RUN).some((word) => `${line} `.includes(word));
}

/** The words of {@link NOT_RUN} that match no line any more. */
export function unusedExceptions(lines: readonly string[]): string[] {
  return Object.keys(NOT_RUN).filter((word) => !lines.some((line) => `${line} `.includes(word)));
}
