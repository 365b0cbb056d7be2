import type { Command } from 'commander';
import { UserError } from '../platform/errors.js';
import { withProgress } from './progress.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** `hindsight verify`: walks the hash chains of the log and names the first event that differs from its record. */
export function define(command: Command): void {
  command.option('--backup <DIR>', 'check a folder of `hindsight backup` instead, without a database');
  addDatabaseOptions(command).action(async (options: SettingOptions & { readonly backup?: string }) => {
    if (options.backup !== undefined) return verifyBackup(options.backup);
    const { verifyLog } = await import('../event-log/verify-log.js');
    const { events, streams, hash, fault } = await withDatabase(options, ({ dataSource }) =>
      withProgress('verify', 'events', (progress) =>
        verifyLog(dataSource, (checked, total) => progress.count(checked, Number(total))),
      ),
    );
    if (fault) {
      const where = fault.stream === '' ? '' : ` (${fault.stream}, version ${fault.version})`;
      throw new UserError(
        `The record is damaged at position ${fault.position}${where}: ${fault.what}.`,
        `All ${events} events before it are unchanged. Restore the database from a backup.`,
      );
    }
    process.stdout.write(
      `The record is as it was written: ${events} events in ${streams} streams, every hash chain intact.\nHash of the log: ${hash}\n`,
    );
  });
}

async function verifyBackup(folder: string): Promise<void> {
  const { checkBackup } = await import('./backup-restore.js');
  const { printEnd } = await import('./backup-folder.js');
  const { manifest, events, streams, more } = await withProgress('verify', 'events', (progress) =>
    checkBackup(folder, { onProgress: (done, total) => progress.count(done, total) }),
  );
  process.stdout.write(
    `The backup is as it was written: ${events} events in ${streams} streams, every hash chain intact. ${printEnd(manifest)}`,
  );
  if (more > 0)
    process.stdout.write(
      `After its end, ${more} events of a run that was not finished; the next \`hindsight backup\` continues.\n`,
    );
}
