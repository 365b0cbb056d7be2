import type { Command } from 'commander';
import { createLogger } from '../platform/logger.js';
import { serve } from './serve.js';
import {
  addNodeOption,
  addSettingOptions,
  ALL_SETTINGS,
  readSettings,
  type SettingOptions,
} from './setting-options.js';

/** `hindsight start`: records and serves until it is told to stop. */
export function define(command: Command): void {
  addSettingOptions(addNodeOption(command), ALL_SETTINGS).action(async (options: SettingOptions) => {
    const settings = readSettings(options, { nodes: true });
    await serve({
      settings,
      logger: createLogger(settings.logLevel),
      onReady: (url) => process.stdout.write(`Hindsight is ready at ${url}\n`),
    });
  });
}
