import { UserError } from '../platform/errors.js';
import { does } from '../platform/role.js';
import { toFaults } from './faults.js';
import { merge, type SettingSources } from './merge.js';
import { isRecord, readValues } from './settings-file.js';
import { type CheckedSettings, settingsSchema } from './settings-schema.js';

/** All settings, checked. Durations are milliseconds. */
export interface Settings extends CheckedSettings {
  /** Keys of the file that have no effect and can be left out. */
  readonly unused: readonly string[];
}

/**
 * Reads all settings: a flag overrides a variable, a variable overrides the file. Nodes are one setting: nodes given by flag
 * replace those of the file.
 * @throws UserError (exit code 2) that lists all faults at once, without any value
 */
export function loadSettings(sources: SettingSources): Settings {
  const file = readValues(sources.file, sources.env);
  const { values, places, faults: ofVariables } = merge(sources, file.values);
  const { data, error } = settingsSchema.safeParse(values);
  const faults = [...file.faults, ...ofVariables, ...toFaults(error, places, file.placeOf)];
  if (data !== undefined && faults.length === 0) {
    const isIdle = data.nodes.length === 0 && does(data.role, 'observer');
    if (!isIdle || !sources.needsNodes) return { ...data, unused: findUnused(values['nodes']) };
    faults.push('no node is given: give --node URL, or list nodes in hindsight.yaml');
  }
  throw new UserError(
    `Wrong settings: ${faults.join('; ')}.`,
    'Correct them, and try hindsight config check. hindsight start --help and hindsight.example.yaml show all settings.',
    2,
  );
}

/** The file's keys that are accepted but have no effect. */
function findUnused(nodes: unknown): string[] {
  const list: unknown[] = Array.isArray(nodes) ? nodes : [];
  return list.flatMap((node, index) => (isRecord(node) && 'raft' in node ? `nodes[${index + 1}].raft` : []));
}
