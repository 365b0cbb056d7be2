import { closeSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../platform/errors.js';
import { toNodeEntry } from './node.js';
import { type Setting, type SettingFlags, SETTINGS } from './setting-list.js';
import { isRecord, type SettingsFile } from './settings-file.js';

export interface SettingSources {
  readonly flags: SettingFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: SettingsFile | undefined;
  /** Whether settings without nodes are a fault, as for `start`. */
  readonly needsNodes?: boolean;
}

export interface Merged {
  /** The form of a file that sets everything. */
  readonly values: Record<string, unknown>;
  /** The flag or variable of values that are not from the file, by their keys. */
  readonly places: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
}

/** One plain object of all sources: each value from the source with the highest priority. */
export function merge({ flags, env }: SettingSources, file: Readonly<Record<string, unknown>>): Merged {
  // A key without a value is how YAML says "not set".
  const values = Object.fromEntries(
    Object.entries(structuredClone(file)).map(([key, value]) => [key, value ?? undefined]),
  );
  const places = new Map<string, string>();
  const faults: string[] = [];
  const given = flags as Readonly<Record<string, string | readonly string[] | undefined>>;
  for (const setting of SETTINGS) {
    const { key, flag = '', option, fallback, isList } = setting;
    const [name = '', below = name] = key.split('.');
    const section = below === name ? values : (values[name] ??= {});
    // A value in place of a section is reported as such, whatever should be in the section.
    if (!isRecord(section)) continue;
    const [place, value] =
      given[option] === undefined ? readVariable(setting, env, faults) : [flag, given[option]];
    if (value === undefined) section[below] ??= fallback;
    else {
      places.set(key, place);
      section[below] = isList ? toEntries([value].flat(), place, places) : value;
    }
  }
  return { values, places, faults };
}

/** The value of a variable, or for a secret that of the file that `NAME_FILE` names; with the variable's name. */
function readVariable(
  { variable, isList, flag, secretInUrl }: Setting,
  env: SettingSources['env'],
  faults: string[],
): [place: string, value: string | readonly string[] | undefined] {
  const ofFile = `${variable}_FILE`;
  const path = (flag === undefined || secretInUrl ? env[ofFile] : undefined) || undefined;
  // An empty variable is how shells and compose files say "not set".
  const own = env[variable] || undefined;
  if (own !== undefined && path !== undefined)
    faults.push(`${variable} and ${ofFile} are both set: unset one`);
  const text = own ?? (path === undefined ? undefined : readSecret(path, ofFile, faults));
  const value = (isList ? text?.match(/\S+/g) : text) || undefined;
  return [own === undefined && path !== undefined ? ofFile : variable, value];
}

/** Bytes; a list of nodes may be long. */
const LARGEST_SECRET = 65_536;

function readSecret(path: string, variable: string, faults: string[]): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(LARGEST_SECRET);
      const text = buffer.toString('utf8', 0, readSync(file, buffer)).trim();
      if (text === '') faults.push(`${variable} names an empty file: write the value into it`);
      return text || undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    faults.push(`${variable} must name a file that this account may read (${codeOf(error) ?? 'unreadable'})`);
    return undefined;
  }
}

/** Nodes of a flag or variable in the form of the file; each is a single word on the command line. */
function toEntries(words: readonly string[], place: string, places: Map<string, string>): unknown[] {
  return words.map((argument, index) => {
    const name = `${place}[${index + 1}]`;
    places.set(`${name}.rpc`, name).set(`${name}.id`, `${name} the ID before =`);
    return toNodeEntry(argument);
  });
}
