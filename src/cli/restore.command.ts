import type { Command } from 'commander';
import { withProgress } from './progress.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** `hindsight restore DIR`: writes a backup into an empty database. */
export function define(command: Command): void {
  command
    .argument('<dir>', 'a folder of `hindsight backup`')
    .description('write a backup into an empty database, and check it on the way; run again, it continues');
  addDatabaseOptions(command).action(async (folder: string, options: SettingOptions) => {
    const { restoreBackup } = await import('./backup-restore.js');
    const { printEnd, requireManifest } = await import('./backup-folder.js');
    const { prepareTarget } = await import('./restore-target.js');
    // Checked first, so that no database is made for a folder without a backup.
    await requireManifest(folder);
    const { manifest, events, streams, keys } = await withDatabase(
      options,
      async ({ dataSource, signal }) => {
        await prepareTarget(dataSource);
        return withProgress('restore', 'events', (progress) =>
          restoreBackup(dataSource, folder, {
            signal,
            onProgress: (done, total) => progress.count(done, total),
          }),
        );
      },
      { create: true },
    );
    process.stdout.write(
      `Restored ${events} events of ${streams} streams and ${keys} API keys, every hash chain intact. ${printEnd(manifest)}` +
        '`hindsight start` builds the read models from them; `hindsight rebuild` builds them now.\n',
    );
  });
}
