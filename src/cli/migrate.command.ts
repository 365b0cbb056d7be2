import type { Command } from 'commander';
import type { MigrationProgress } from '../platform/migrations.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** `hindsight migrate`: only migrates the database, as `start` does before it serves. */
export function define(command: Command): void {
  addDatabaseOptions(command).action(async (options: SettingOptions) => {
    const { runMigrations } = await import('../platform/migrations.js');
    const onProgress = ({ name, number, total }: MigrationProgress): boolean =>
      process.stdout.write(`${number} of ${total}: ${name}\n`);
    const onWait = (holders: string): boolean => process.stderr.write(`Waiting for ${holders}.\n`);
    const applied = await withDatabase(
      options,
      ({ dataSource }) => runMigrations(dataSource, { onProgress, onWait }),
      { create: true },
    );
    process.stdout.write(
      applied === 0 ? 'The database is up to date.\n' : `Applied ${applied} migrations.\n`,
    );
  });
}
