import type { Command } from 'commander';
import { UserError } from '../platform/errors.js';
import { createLogger } from '../platform/logger.js';
import { createProgress } from './progress.js';
import {
  addSettingOptions,
  DATABASE_SETTINGS,
  readSettings,
  type SettingOptions,
} from './setting-options.js';
import { withDatabase } from './with-database.js';

/** `hindsight verify`: walks the hash chains of the log and names the first event that is not as it was recorded. */
export function register(program: Command): void {
  const command = program.command('verify').description('prove that the record is as it was written');
  addSettingOptions(command, DATABASE_SETTINGS).action(async (options: SettingOptions) => {
    const settings = readSettings(options);
    const logger = createLogger(settings.logLevel);
    const { verifyLog } = await import('../event-log/verify-log.js');
    const progress = createProgress();
    const { events, streams, fault } = await withDatabase({ settings, logger }, ({ dataSource }) =>
      verifyLog(dataSource, (checked) => progress.show(`${checked} events checked`)),
    );
    progress.end();
    if (fault) {
      const where = fault.stream === '' ? '' : ` (${fault.stream}, version ${fault.version})`;
      throw new UserError(
        `The record is damaged at position ${fault.position}${where}: ${fault.what}.`,
        `All ${events} events before it are as they were recorded. Restore the database from a backup.`,
      );
    }
    process.stdout.write(
      `The record is as it was written: ${events} events in ${streams} streams, every hash chain whole.\n`,
    );
  });
}
