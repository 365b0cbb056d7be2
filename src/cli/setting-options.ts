import { type Command, Option } from 'commander';
import { createLogger } from '../platform/logger.js';
import {
  CONFIG,
  findSecretFlags,
  type FlagName,
  type SettingFlags,
  SETTINGS,
} from '../settings/setting-list.js';
import type { SettingSources } from '../settings/merge.js';
import { readSettingsFile } from '../settings/settings-file.js';
import { loadSettings, type Settings } from '../settings/settings.js';

/** Flags as commander passes them. */
export type SettingOptions = SettingFlags & { readonly config?: string };

/** Settings of every command that needs the database. */
export const DATABASE_SETTINGS = ['dataDir', 'databaseUrl', 'logLevel'] as const satisfies FlagName[];

/**
 * Adds the flags of some settings (and `--config`) to a command, with their variables and defaults in the help text. If no
 * settings are named, adds the flags of all settings, nodes included.
 */
export function addSettingOptions(command: Command, names?: readonly FlagName[]): Command {
  command.option(
    '--config <file>',
    `settings file (${CONFIG.variable}; default: hindsight.yaml, if it exists)`,
  );
  for (const { flag, option, placeholder, description, variable, fallback, isList } of SETTINGS) {
    if (flag === undefined || names?.includes(option as FlagName) === false) continue;
    // The default is only shown, not set: a flag that was not given must not override a variable.
    const origin = fallback === undefined ? variable : `${variable}; default: ${fallback}`;
    const added = new Option(`${flag} <${placeholder}>`, `${description} (${origin})`);
    command.addOption(isList ? added.argParser(collect) : added);
  }
  return command;
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/**
 * The settings of this command line, with the environment and the settings file below it. Warns if it contains passwords.
 * @throws UserError that lists everything that is wrong
 */
export function readSettings(options: SettingOptions, needs: { readonly nodes?: boolean } = {}): Settings {
  const settings = loadSettings({ ...readSources(options), needsNodes: needs.nodes ?? false });
  const flags = findSecretFlags(options);
  if (flags.length > 0) {
    createLogger(settings.logLevel).warn(
      { flags },
      'a password or key is on the command line, where every user of this computer can read it',
    );
  }
  return settings;
}

/**
 * The flags, the environment and the settings file.
 * @throws UserError if the file cannot be read
 */
export function readSources(options: SettingOptions): SettingSources {
  const path = options.config ?? (process.env[CONFIG.variable] || undefined);
  return { flags: options, env: process.env, file: readSettingsFile(path, process.cwd()) };
}
