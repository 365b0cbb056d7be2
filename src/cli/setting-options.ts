import { type Command, Option } from 'commander';
import { createLogger } from '../platform/logger.js';
import { readSettingsFile } from '../platform/settings-file.js';
import {
  findSecretFlags,
  OTHER_FLAGS,
  SETTINGS,
  type SettingDefinition,
  type SettingFlags,
  type SettingName,
} from '../platform/settings-table.js';
import { loadSettings, type Settings } from '../platform/settings.js';

/** Flags as commander hands them over. */
export type SettingOptions = SettingFlags & { readonly config?: string };

/** What the service takes: whatever can be set. */
export const ALL_SETTINGS = Object.keys(SETTINGS) as SettingName[];

/** What every command takes that needs the database. */
export const DATABASE_SETTINGS = ['dataDir', 'databaseUrl', 'logLevel'] as const satisfies SettingName[];

/** Gives a command the flags of some settings (and `--config`), with their variables and defaults in the help text. */
export function addSettingOptions(command: Command, names: readonly SettingName[]): Command {
  command.option(
    '--config <file>',
    `settings file (${OTHER_FLAGS.config.variable}; default: hindsight.yaml, if there is one)`,
  );
  for (const name of names) {
    const definition: SettingDefinition = SETTINGS[name];
    if (definition.flag === undefined) continue;
    const { flag, placeholder, description, variable, fallback } = definition;
    // The default is only told, not given: a flag that was not given must not win over a variable.
    const origin = fallback === undefined ? variable : `${variable}; default: ${fallback}`;
    command.addOption(new Option(`${flag} <${placeholder}>`, `${description} (${origin})`));
  }
  return command;
}

/** Gives a command the flag that names nodes; it can be repeated. */
export function addNodeOption(command: Command): Command {
  return command.option(
    '--node <[ID=]URL>',
    `a node to watch; repeat it for more (${OTHER_FLAGS.node.variable}, separated by spaces)`,
    (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
  );
}

/**
 * The settings of this command line, with the environment and the settings file below it. Warns of passwords on it.
 * @throws UserError that lists everything that is wrong
 */
export function readSettings(options: SettingOptions, needs: { readonly nodes?: boolean } = {}): Settings {
  const asked = options.config ?? (process.env[OTHER_FLAGS.config.variable] || undefined);
  const settings = loadSettings({
    flags: options,
    env: process.env,
    file: readSettingsFile(asked, process.cwd()),
    needsNodes: needs.nodes ?? false,
  });
  const flags = findSecretFlags(options);
  if (flags.length > 0) {
    createLogger(settings.logLevel).warn(
      { flags },
      'a password or key stands on the command line, where every user of this computer can read it',
    );
  }
  return settings;
}
