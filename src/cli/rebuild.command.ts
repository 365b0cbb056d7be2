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

/** `hindsight rebuild [NAME]`: replays the log into new read models and swaps them in, beside a running service or without. */
export function register(program: Command): void {
  const command = program
    .command('rebuild')
    .argument('[name]', 'the read model; all of them when left out')
    .description('replay the log into new read models and swap them in');
  addSettingOptions(command, DATABASE_SETTINGS).action(
    async (name: string | undefined, options: SettingOptions) => {
      const settings = readSettings(options);
      const logger = createLogger(settings.logLevel);
      const { PROJECTION_FACTORIES } = await import('../projections/all-projections.js');
      const { rebuildProjection } = await import('../projections/rebuild.js');
      const { EventStore } = await import('../event-log/event-store.js');
      const names = Object.keys(PROJECTION_FACTORIES);
      if (name !== undefined && !names.includes(name)) {
        throw new UserError(`There is no read model called ${name}.`, `There are: ${names.join(', ')}.`, 2);
      }
      await withDatabase({ settings, logger }, async ({ dataSource }) => {
        const store = new EventStore(dataSource);
        for (const one of name === undefined ? names : [name]) {
          const create = PROJECTION_FACTORIES[one];
          if (!create) continue;
          const progress = createProgress();
          await rebuildProjection(dataSource, store, create, ({ position, end }) =>
            progress.show(`${one}: ${percent(position, end)} (position ${position} of ${end})`),
          );
          progress.end();
          process.stdout.write(`Rebuilt ${one}.\n`);
        }
      });
    },
  );
}

function percent(position: bigint, end: bigint): string {
  return end === 0n ? '100 %' : `${(position * 100n) / end} %`;
}
