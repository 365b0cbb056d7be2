import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { messageOf, UserError } from '../platform/errors.js';
import { createProgress } from './progress.js';
import { COMMAND_LINE } from './command-line.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** Events between two updates of the progress. */
const SHOWN_EACH = 1_000;

interface FeesOptions extends SettingOptions {
  readonly chain: string;
  readonly skipBad?: boolean;
  readonly note?: string;
}

/** `hindsight import fees`: the real fees of the DA layer, from a file. */
export function define(command: Command): void {
  command.description('import fees, or a log that was exported').helpCommand(false);
  const fees = command
    .command('fees')
    .description('import fees that were read from the DA layer; importing a file again changes nothing')
    .argument(
      '<file>',
      'a CSV with the columns da_height and fee, and namespace and tx where known; - for standard input',
    )
    .requiredOption('--chain <ID>', 'the chain whose submissions the fees paid for')
    .option('--skip-bad', 'import the good lines of a file that has bad ones')
    .option('--note <TEXT>', 'source of the fees; default: the name of the file');
  addDatabaseOptions(fees).action(importFees);
  const events = command
    .command('events')
    .description(
      'restore a log that `hindsight export events` wrote as NDJSON into an empty database: all of it, or nothing',
    )
    .argument('<file...>', 'the parts of the export, in order; - for standard input');
  addDatabaseOptions(events).action(importEvents);
}

async function importEvents(paths: readonly string[], options: SettingOptions): Promise<void> {
  const { readLogLines } = await import('../event-log/log-lines.js');
  const { restoreLog } = await import('../event-log/restore-log.js');
  const { runMigrations } = await import('../platform/migrations.js');
  const { isServiceAtWork } = await import('../projections/rebuild/service-at-work.js');
  const progress = createProgress();
  const { events, streams } = await withDatabase(
    options,
    async ({ dataSource, signal }) => {
      if (await isServiceAtWork(dataSource)) {
        throw new UserError(
          'A service is running on this database.',
          'Stop the service, and import into a new database.',
        );
      }
      await runMigrations(dataSource);
      const files = paths.map((path) => ({ name: nameOf(path), pieces: readPieces(path, signal) }));
      return restoreLog(dataSource, readLogLines(files), (count) => {
        if (count % SHOWN_EACH === 0) progress.show(`${count} events imported`);
      });
    },
    { create: true },
  );
  progress.end();
  process.stdout.write(
    `Imported ${events} events of ${streams} streams, every hash chain intact.\n` +
      '`hindsight start` builds the read models from them; `hindsight rebuild` builds them now. API keys are not in the log: see `hindsight keys`.\n',
  );
}

async function importFees(path: string, options: FeesOptions): Promise<void> {
  const name = nameOf(path);
  const { FeeImporter } = await import('../statistics/prices/fee-importer.js');
  const { printFaults, printImport } = await import('./import-report.js');
  const result = await withDatabase(options, async ({ dataSource, openLog }) =>
    new FeeImporter(dataSource, await openLog(), new SystemClock()).import({
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
      `Nothing was imported from ${name}: ${result.faultCount} of its ${result.rows} lines cannot be used.`,
      'Correct these lines, or give --skip-bad to import the others.',
    );
  }
  process.stdout.write(printImport(name, options.chain, result));
}

function nameOf(path: string): string {
  return path === '-' ? 'standard input' : basename(path);
}

/** @throws UserError if the file cannot be read */
async function* readPieces(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const piece of path === '-' ? process.stdin : createReadStream(path)) {
      signal?.throwIfAborted();
      yield Buffer.from(piece);
    }
  } catch (error) {
    throw new UserError(`Cannot read ${path}: ${messageOf(error)}`, 'Check the name of the file.', 2, {
      cause: error,
    });
  }
}
