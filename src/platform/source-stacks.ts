import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a file of the built program, as V8 prints it. */
const PLACE = /(file:\S+?\.js):(\d+):(\d+)/;

/**
 * Makes the stack traces of the built program name places in `src`. A map is read when the first stack needs it. Node's own
 * `--enable-source-maps` searches each loaded file for its map, which makes the start a tenth slower.
 */
export function nameSourcesInStacks(): void {
  const maps = new Map<string, SourceMap | undefined>();
  const nameSource = (place: string, file: string, line: string, column: string): string => {
    if (!maps.has(file)) maps.set(file, readMap(file));
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    // A line of a package has no entry: the nearest one is of another file.
    if (!entry || !('originalSource' in entry) || entry.generatedLine !== Number(line) - 1) return place;
    const source = entry.originalSource.replace(/^(?:\.\.\/)+/, '');
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  };
  Error.prepareStackTrace = (error, frames) =>
    [
      Error.prototype.toString.call(error),
      // oxlint-disable-next-line typescript/no-base-to-string -- a call site prints itself, which its type leaves out
      ...frames.map((frame) => `    at ${String(frame).replace(PLACE, nameSource)}`),
    ].join('\n');
}

/** @returns undefined for files without a map, and for a map that cannot be read: a stack without it is better than none */
function readMap(file: string): SourceMap | undefined {
  try {
    const path = `${fileURLToPath(file)}.map`;
    if (!existsSync(path)) return undefined;
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
