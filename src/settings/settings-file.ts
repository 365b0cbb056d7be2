import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { codeOf, messageOf, UserError } from '../platform/errors.js';

/** Read from the working directory when it is there. */
const DEFAULT_FILE = 'hindsight.yaml';

const LARGEST_FILE_BYTES = 4_000_000;

/** A settings file as text, and the name for complaints. */
export interface SettingsFile {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the named file, or {@link DEFAULT_FILE} if there is one.
 * @throws UserError when the named file cannot be read
 */
export function readSettingsFile(named: string | undefined, directory: string): SettingsFile | undefined {
  const name = named ?? DEFAULT_FILE;
  try {
    return { name, text: readFileSync(resolve(directory, name), 'utf8') };
  } catch (error) {
    if (named === undefined && codeOf(error) === 'ENOENT') return undefined;
    throw new UserError(`Cannot read the settings file ${name}: ${messageOf(error)}`, 'Check --config.', 2, {
      cause: error,
    });
  }
}

/** The content of a file, its faults, and where each of its values is. */
interface FileValues {
  /** Plain values; an empty file is an empty object. */
  readonly values: Record<string, unknown>;
  /** Faults of its form, a sentence each, without values. */
  readonly faults: readonly string[];
  /** The place of a value as `hindsight.yaml line 3`, or of what it is missing in; undefined if the file does not set it. */
  readonly placeOf: (path: readonly PropertyKey[]) => string | undefined;
}

/** Reads the values of a file. `${NAME}` in a text is the value of an environment variable. */
export function readValues(
  file: SettingsFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
): FileValues {
  if (file === undefined) return failed();
  if (file.text.length > LARGEST_FILE_BYTES) return failed(`${file.name} is too large`);
  const lines = new LineCounter();
  const document = parseDocument(file.text, { prettyErrors: false, lineCounter: lines });
  const placeAt = (offset: number): string => `${file.name} line ${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => {
      const column = lines.linePos(error.pos[0]).col;
      // The text after a colon may quote the file, and with it a secret.
      return `${placeAt(error.pos[0])}, column ${column} ${error.message.replace(/:.*/s, '')}`;
    });
    return failed(...faults);
  }
  const faults: string[] = [];
  visit(document, {
    Scalar: (role, scalar) => {
      if (role === 'key') return;
      keepDigits(scalar);
      for (const fault of setVariables(scalar, env)) faults.push(`${placeAt(startOf(scalar))}: ${fault}`);
    },
  });
  try {
    const values: unknown = document.toJS() ?? {};
    if (!isRecord(values)) return failed(`${file.name} must have keys at its top level`);
    return { values, faults, placeOf: (path) => placeIn(document.contents, path, placeAt) };
  } catch {
    return failed(`${file.name} has aliases that are undefined or expand too far`);
  }
}

/** Keeps a whole number in another form (`007`, `0x1F`, `1.0`, more than 16 digits) as it is written: it may be a name. */
function keepDigits(scalar: Scalar): void {
  if (Number.isInteger(scalar.value) && scalar.source !== String(scalar.value)) scalar.value = scalar.source;
}

/** Puts variables into a text, and returns the faults. `$${` is a plain `${`. */
function setVariables(scalar: Scalar, env: Readonly<Record<string, string | undefined>>): string[] {
  if (typeof scalar.value !== 'string') return [];
  const faults: string[] = [];
  scalar.value = scalar.value.replace(/\$(\$?)\{([^}]*)\}/g, (found, escape: string, name: string) => {
    if (escape !== '') return found.slice(1);
    const value = /^\w+$/.test(name) ? env[name]?.trim() : undefined;
    if (/^\w+$/.test(name) && !value) faults.push(`the variable ${name} is not set`);
    else if (!value) faults.push('a variable must be written ${NAME}; $${ is a plain ${');
    return value || found;
  });
  return faults;
}

/** The place of the value, or of the innermost part around it that the file has. */
function placeIn(
  contents: unknown,
  path: readonly PropertyKey[],
  placeAt: (offset: number) => string,
): string | undefined {
  let place: string | undefined;
  let node = contents;
  for (const part of path) {
    const [next, named] = isMap(node) ? findPair(node, part) : isSeq(node) ? findItem(node, part) : [];
    if (named === undefined) return place;
    place = placeAt(startOf(named));
    node = next;
  }
  return place;
}

function findPair(map: YAMLMap, name: PropertyKey): [unknown, Node] | [] {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
  return isScalar(pair?.key) ? [pair.value, pair.key] : [];
}

function findItem(list: YAMLSeq, index: PropertyKey): [unknown, Node] | [] {
  const item = list.items[Number(index)];
  return isNode(item) ? [item, item] : [];
}

function startOf({ range }: Node): number {
  return range?.[0] ?? 0;
}

function failed(...faults: string[]): FileValues {
  return { values: {}, faults, placeOf: () => undefined };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
