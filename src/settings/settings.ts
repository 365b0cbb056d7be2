import { UserError } from '../platform/errors.js';
import { does } from '../platform/role.js';
import { toFaults } from './faults.js';
import { toNodeEntry } from './node.js';
import { type SettingFlags, SETTINGS } from './setting-list.js';
import { isRecord, parseSettingsFile, type SettingsFile } from './settings-file.js';
import { type CheckedSettings, settingsSchema } from './settings-schema.js';

/** All settings, checked. Durations are milliseconds. */
export interface Settings extends CheckedSettings {
  /** Keys of the file that have no effect and can be left out. */
  readonly unused: readonly string[];
}

export interface SettingSources {
  readonly flags: SettingFlags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: SettingsFile | undefined;
  /** Whether settings without nodes are a fault, as for `start`. */
  readonly needsNodes?: boolean;
}

/**
 * Reads all settings: a flag overrides a variable, a variable overrides the file. Nodes are one setting: nodes given by flag
 * replace those of the file.
 * @throws UserError (exit code 2) that lists all faults at once, without any value
 */
export function loadSettings(sources: SettingSources): Settings {
  const file = sources.file === undefined ? { values: {}, faults: [] } : parseSettingsFile(sources.file);
  const { values, places } = merge(sources, file.values);
  const { data, error } = settingsSchema.safeParse(values);
  const faults = [...file.faults, ...toFaults(error, places)];
  if (data !== undefined && faults.length === 0) {
    const isIdle = data.nodes.length === 0 && does(data.role, 'observer');
    if (!isIdle || !sources.needsNodes) return { ...data, unused: findUnused(values['nodes']) };
    faults.push('no node is given: give --node URL, or list nodes in hindsight.yaml');
  }
  throw new UserError(
    `Wrong settings: ${faults.join('; ')}.`,
    'See hindsight start --help and hindsight.example.yaml for all settings.',
    2,
  );
}

interface Merged {
  /** The form of a file that sets everything. */
  readonly values: Record<string, unknown>;
  /** The flag or variable of values that are not from the file, by their keys. */
  readonly places: ReadonlyMap<string, string>;
}

/** One plain object of all sources: each value from the source with the highest priority. */
function merge({ flags, env }: SettingSources, file: Readonly<Record<string, unknown>>): Merged {
  // A key without a value is how YAML says "not set".
  const values = Object.fromEntries(Object.entries(file).map(([key, value]) => [key, value ?? undefined]));
  const places = new Map<string, string>();
  const given = flags as Readonly<Record<string, string | readonly string[] | undefined>>;
  for (const { key, flag = '', option, variable, fallback, isList } of SETTINGS) {
    const [name = '', below = name] = key.split('.');
    const section = below === name ? values : (values[name] ??= {});
    // A value in place of a section is reported as such, whatever should be in the section.
    if (!isRecord(section)) continue;
    // An empty variable is how shells and compose files say "not set".
    const text = (isList ? env[variable]?.match(/\S+/g) : env[variable]) || undefined;
    const [place, value] = given[option] === undefined ? [variable, text] : [flag, given[option]];
    if (value === undefined) section[below] ??= fallback;
    else {
      places.set(key, place);
      section[below] = isList ? toEntries([value].flat(), place, places) : value;
    }
  }
  return { values, places };
}

/** Nodes of a flag or variable in the form of the file; each is a single word on the command line. */
function toEntries(words: readonly string[], place: string, places: Map<string, string>): unknown[] {
  return words.map((argument, index) => {
    const name = `${place}[${index + 1}]`;
    places.set(`${name}.rpc`, name).set(`${name}.id`, `${name} the ID before =`);
    return toNodeEntry(argument);
  });
}

/** The file's keys that are accepted but have no effect. */
function findUnused(nodes: unknown): string[] {
  const list: unknown[] = Array.isArray(nodes) ? nodes : [];
  return list.flatMap((node, index) => (isRecord(node) && 'raft' in node ? `nodes[${index + 1}].raft` : []));
}
