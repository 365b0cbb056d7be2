import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LineCounter, parseDocument, type Scalar, visit } from 'yaml';
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

/** The file's content as plain values (an empty file is an empty object), or the faults of its form. */
export function parseSettingsFile(file: SettingsFile): {
  values: Record<string, unknown>;
  faults: string[];
} {
  if (file.text.length > LARGEST_FILE_BYTES) return failed(`${file.name} is too large`);
  const lines = new LineCounter();
  const document = parseDocument(file.text, { prettyErrors: false, lineCounter: lines });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      // The text after a colon may quote the file, and with it a secret.
      return `${file.name} line ${line}, column ${col} ${error.message.replace(/:.*/s, '')}`;
    });
    return failed(...faults);
  }
  visit(document, { Scalar: (_, scalar) => keepDigits(scalar) });
  try {
    const values: unknown = document.toJS() ?? {};
    if (isRecord(values)) return { values, faults: [] };
    return failed(`${file.name} must have keys at its top level`);
  } catch {
    return failed(`${file.name} has aliases that are undefined or expand too far`);
  }
}

/** Keeps a whole number in another form (`007`, `0x1F`, `1.0`, more than 16 digits) as it is written: it may be a name. */
function keepDigits(scalar: Scalar): void {
  if (Number.isInteger(scalar.value) && scalar.source !== String(scalar.value)) scalar.value = scalar.source;
}

function failed(...faults: string[]): { values: Record<string, unknown>; faults: string[] } {
  return { values: {}, faults };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
