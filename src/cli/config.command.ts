import type { Command } from 'commander';
import { addSettingOptions, readSettings, readSources, type SettingOptions } from './setting-options.js';

/** `hindsight config check`: reads all settings as `start` does, and starts nothing. */
export function define(config: Command): void {
  config.helpCommand(false);
  const check = config
    .command('check')
    .description(
      'list all faults of the settings, or print what hindsight start would use; secrets are masked',
    );
  addSettingOptions(check).action(run);
}

async function run(options: SettingOptions): Promise<void> {
  readSettings(options, { nodes: true });
  const { printSettings } = await import('../settings/effective.js');
  process.stdout.write(printSettings(readSources(options)));
}
