import type { Command } from 'commander';
import { createLogger } from '../platform/logger.js';
import {
  addSettingOptions,
  DATABASE_SETTINGS,
  readSettings,
  type SettingOptions,
} from './setting-options.js';
import { withDatabase } from './with-database.js';

/** `hindsight migrate`: what `start` does with the database before it serves, and nothing else. */
export function register(program: Command): void {
  const command = program.command('migrate').description('bring the database to this version');
  addSettingOptions(command, DATABASE_SETTINGS).action(async (options: SettingOptions) => {
    const settings = readSettings(options);
    const logger = createLogger(settings.logLevel);
    const { runMigrations } = await import('../platform/migrations.js');
    const applied = await withDatabase({ settings, logger, create: true }, ({ dataSource }) =>
      runMigrations(dataSource, {
        onProgress: ({ name, number, total }) => process.stdout.write(`${number} of ${total}: ${name}\n`),
      }),
    );
    process.stdout.write(
      applied === 0 ? 'The database is up to date.\n' : `Applied ${applied} migrations.\n`,
    );
  });
}
