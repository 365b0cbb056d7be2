import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { nameOfInput, readInput } from './input-file.js';
import { withProgress } from './progress.js';
import { COMMAND_LINE } from './command-line.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

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
  const { prepareTarget } = await import('./restore-target.js');
  const total = await sizeOf(paths);
  let read = 0;
  const onPiece = (bytes: number): void => {
    read += bytes;
  };
  const { events, streams } = await withDatabase(
    options,
    async ({ dataSource, signal }) => {
      await prepareTarget(dataSource);
      const files = paths.map((path) => ({
        name: nameOfInput(path),
        pieces: readInput(path, { onPiece, signal }),
      }));
      return withProgress('import', 'events', (progress) =>
        restoreLog(dataSource, readLogLines(files), (count) =>
          progress.count(count, total === undefined ? undefined : (count * total) / read),
        ),
      );
    },
    { create: true },
  );
  process.stdout.write(
    `Imported ${events} events of ${streams} streams, every hash chain intact.\n` +
      '`hindsight start` builds the read models from them; `hindsight rebuild` builds them now. API keys are not in the log: see `hindsight keys`.\n',
  );
}

async function importFees(path: string, options: FeesOptions): Promise<void> {
  const name = nameOfInput(path);
  const { FeeImporter } = await import('../statistics/prices/fee-importer.js');
  const { printFaults, printImport } = await import('./import-report.js');
  const total = await sizeOf([path]);
  const result = await withDatabase(options, async ({ dataSource, openLog }) =>
    withProgress(`import of ${name}`, 'kB', async (progress) => {
      let read = 0;
      const onPiece = (bytes: number): void => {
        read += bytes;
        if (read === total) progress.show(`import of ${name}: recording the fees`);
        else progress.count(read / 1_000, total && total / 1_000);
      };
      return new FeeImporter(dataSource, await openLog(), new SystemClock()).import({
        chain: options.chain,
        file: readInput(path, { onPiece }),
        source: options.note ?? name,
        by: COMMAND_LINE,
        skipBad: options.skipBad ?? false,
      });
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

/** Bytes of all files; undefined if one of them is not a regular file. */
async function sizeOf(paths: readonly string[]): Promise<number | undefined> {
  let bytes = 0;
  for (const path of paths) {
    const found = path === '-' ? undefined : await stat(path).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    bytes += found.size;
  }
  return bytes;
}
