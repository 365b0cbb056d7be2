import type { Command } from 'commander';
import { withProgress } from './progress.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** `hindsight backup DIR`: copies the log into a folder. Works with or without a running service. */
export function define(command: Command): void {
  command
    .argument('<dir>', 'the folder; created if it does not exist')
    .description(
      'copy the record into a folder: what was recorded since the last run, compressed, with hashes; a service may run meanwhile',
    );
  addDatabaseOptions(command).action(async (folder: string, options: SettingOptions) => {
    const { writeBackup } = await import('./backup-writer.js');
    const { printEnd } = await import('./backup-folder.js');
    const { manifest, events } = await withDatabase(options, ({ dataSource, signal }) =>
      withProgress('backup', 'events', (progress) =>
        writeBackup(dataSource, folder, { signal, onProgress: (done, total) => progress.count(done, total) }),
      ),
    );
    process.stdout.write(`Copied ${events} new events into ${folder}. ${printEnd(manifest)}`);
  });
}
