import type { Command } from 'commander';
import { UserError } from '../platform/errors.js';
import { withProgress } from './progress.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** `hindsight verify`: walks the hash chains of the log and names the first event that differs from its record. */
export function define(command: Command): void {
  addDatabaseOptions(command).action(async (options: SettingOptions) => {
    const { verifyLog } = await import('../event-log/verify-log.js');
    const { events, streams, fault } = await withDatabase(options, ({ dataSource }) =>
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
      `The record is as it was written: ${events} events in ${streams} streams, every hash chain intact.\n`,
    );
  });
}
