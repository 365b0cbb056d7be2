import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { messageOf, UserError } from '../platform/errors.js';
import { COMMAND_LINE } from './command-line.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface FeesOptions extends SettingOptions {
  readonly chain: string;
  readonly skipBad?: boolean;
  readonly note?: string;
}

/** `hindsight import fees`: what the DA layer really charged, from a file. */
export function define(command: Command): void {
  command.description('import what others have recorded').helpCommand(false);
  const fees = command
    .command('fees')
    .description('import fees that were read from the DA layer; importing a file again changes nothing')
    .argument(
      '<file>',
      'a CSV with the columns da_height and fee, and namespace and tx where known; - for standard input',
    )
    .requiredOption('--chain <ID>', 'the chain whose submissions they paid for')
    .option('--skip-bad', 'import the good lines of a file that has bad ones')
    .option('--note <TEXT>', 'where the fees are from; the name of the file when left out');
  addDatabaseOptions(fees).action(importFees);
}

async function importFees(path: string, options: FeesOptions): Promise<void> {
  const name = path === '-' ? 'standard input' : basename(path);
  const { EventStore } = await import('../event-log/event-store.js');
  const { FeeImporter } = await import('../statistics/prices/fee-importer.js');
  const { printFaults, printImport } = await import('./import-report.js');
  const result = await withDatabase(options, ({ dataSource }) =>
    new FeeImporter(dataSource, new EventStore(dataSource), new SystemClock()).import({
      chain: options.chain,
      file: readPieces(path),
      source: options.note ?? name,
      by: COMMAND_LINE,
      skipBad: options.skipBad ?? false,
    }),
  );
  if (result.faultCount > 0) process.stdout.write(printFaults(result));
  if (!result.isImported) {
    throw new UserError(
      `Nothing of ${name} was imported: ${result.faultCount} of its ${result.rows} lines cannot be used.`,
      'Correct them, or give --skip-bad to import the others.',
    );
  }
  process.stdout.write(printImport(name, options.chain, result));
}

/** @throws UserError when the file cannot be read */
async function* readPieces(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of path === '-' ? process.stdin : createReadStream(path)) yield Buffer.from(piece);
  } catch (error) {
    throw new UserError(`Cannot read ${path}: ${messageOf(error)}`, 'Check the name of the file.', 2, {
      cause: error,
    });
  }
}
