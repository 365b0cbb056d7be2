import type { Command } from 'commander';
import { createLogger } from '../platform/logger.js';
import { does } from '../platform/role.js';
import { refuseDemoRecord } from './demo-record.js';
import { serve } from './serve.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';

/** `hindsight start`: records and serves until it is stopped. */
export function define(command: Command): void {
  addSettingOptions(command).action(async (options: SettingOptions) => {
    const settings = readSettings(options, { nodes: true });
    const logger = createLogger(settings.logLevel);
    if (settings.unused.length > 0) {
      logger.warn({ settings: settings.unused }, 'these settings have no effect and can be left out');
    }
    await serve({
      settings,
      logger,
      prepare: async (_, databaseUrl) => {
        if (does(settings.role, 'observer')) await refuseDemoRecord(settings, databaseUrl);
        return settings;
      },
      onReady: (url) => process.stdout.write(`Hindsight is ready at ${url}\n`),
    });
  });
}
