import { z } from 'zod';
import { holdsSecret } from '../platform/redact.js';
import { settingsSchema, SHAPE, type SettingMeta } from './settings-schema.js';

/** One setting that can come from the command line and the environment. */
export interface Setting extends Omit<SettingMeta, 'flag'> {
  readonly flag: string | undefined;
  readonly variable: string;
  /** The key in `hindsight.yaml`; a dot is a level. */
  readonly key: string;
  /** The flag as the parser of the command line names it. */
  readonly option: string;
}

/** All settings, in the order of docs/settings.md. */
export const SETTINGS: readonly Setting[] = listSettings(SHAPE, '');

/** The choice of the settings file: it has a flag and a variable, but no key in the file. */
export const CONFIG = { flag: '--config', variable: 'HINDSIGHT_CONFIG' } as const;

/** Names of flags on the command line, except `--node`. */
export type FlagName =
  | Exclude<keyof typeof SHAPE, 'nodes' | 'chains' | 'alerts' | 'poll' | 'apiKey' | 'apiKeys'>
  | `poll${Capitalize<keyof typeof SHAPE.poll.shape>}`;

/** Flags by name, as the parser of the command line returns them. */
export type SettingFlags = Readonly<Partial<Record<FlagName, string>>> & {
  readonly node?: readonly string[];
};

function listSettings(shape: Readonly<Record<string, z.ZodType>>, above: string): Setting[] {
  return Object.entries(shape).flatMap(([name, value]) => {
    if (value instanceof z.ZodObject) return listSettings(value.shape, `${name}.`);
    const meta = value.meta() as SettingMeta | undefined;
    if (meta === undefined) return [];
    const key = `${above}${name}`;
    const words = key.split(/\.|(?=[A-Z])/).map((word) => word.toLowerCase());
    const flag = meta.flag === 'NONE' ? undefined : (meta.flag ?? `--${words.join('-')}`);
    const variable = meta.variable ?? `HINDSIGHT_${words.join('_').toUpperCase()}`;
    const option = (flag ?? '')
      .slice('--'.length)
      .replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    return [{ ...meta, key, flag, variable, option }];
  });
}

/** The flags whose URL contains a password or key, and where that URL belongs instead. Never contains a value. */
export function findSecretFlags(flags: SettingFlags): string[] {
  return Object.entries(flags).flatMap(([option, given]) => {
    const setting = SETTINGS.find((known) => known.option === option);
    // A command has flags of its own as well.
    if (setting?.secretInUrl === undefined) return [];
    // The id of a node may precede the URL.
    if (![given].flat().some((text) => holdsSecret(text.replace(/^[^=/]*=/, '')))) return [];
    return `${setting.flag} (use ${setting.variable}, or ${setting.key} in the settings file)`;
  });
}

/** The settings as a Markdown table, as in docs/settings.md (a test compares them). */
export function settingsTable(): string {
  const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);
  const rows = SETTINGS.map(
    ({ flag, variable, key, fallback, description }) =>
      `| ${code(flag)} | ${code(variable)} | ${code(key)} | ${code(fallback)} | ${description} |`,
  );
  const [nodes, ...single] = rows;
  return [
    '| flag | variable | in `hindsight.yaml` | default | what it does |',
    '|---|---|---|---|---|',
    nodes,
    `| ${code(CONFIG.flag)} | ${code(CONFIG.variable)} | | \`hindsight.yaml\`, if it exists | the settings file |`,
    ...single,
    '',
  ].join('\n');
}

/** Metadata that says nothing about the file. */
const OUTSIDE_FILE = ['flag', 'variable', 'placeholder', 'secretInUrl', 'isList', 'fallback'] as const;

/**
 * The JSON schema of `hindsight.yaml`, for editors. It refuses nothing that {@link settingsSchema} accepts, but a key without a
 * value, which counts as left out, and a variable in place of a word.
 */
export function settingsFileSchema(): object {
  return z.toJSONSchema(settingsSchema, {
    target: 'draft-07',
    io: 'input',
    override: ({ jsonSchema, path }) => {
      if (jsonSchema['fallback'] !== undefined) jsonSchema.default = jsonSchema['fallback'];
      for (const name of OUTSIDE_FILE satisfies readonly (keyof SettingMeta)[]) delete jsonSchema[name];
      // Settings that a file leaves out have their defaults.
      if (path.length === 0 || path.at(-1) === 'poll') delete jsonSchema.required;
    },
  });
}
