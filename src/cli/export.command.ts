import { type Command, Option } from 'commander';
import { ApiError } from '../api/errors.js';
import { EXPORT_FORMATS, type ExportFormat } from '../api/export/export-column.js';
import {
  describeParameters,
  EXPORT_NAMES,
  toExportName,
  type GivenParameters,
} from '../api/export/exports.js';
import { openExports } from '../api/export/open-exports.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { ReadDatabase } from '../platform/reads/read-database.js';
import { writeExport } from './export-files.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

/** If few rows match, finding the end of a part walks over all rows, and so does reading the part. */
const STATEMENT_MS = 3_600_000;

const EXAMPLES = `
Examples:
  hindsight export submissions --nodes alpha --from 2026-11-01 --to 2026-12-01 --out november.csv
  hindsight export costs --chains prod-1 --bucket MONTH --format parquet --out costs.parquet
  hindsight export losses --from 2026-11-01 | head
`;

interface ExportOptions extends SettingOptions {
  readonly format: ExportFormat;
  readonly out?: string;
}

/** `hindsight export NAME`: what `/export/NAME` serves, into a file. Works with or without a running service. */
export function define(command: Command): void {
  command
    .argument('<name>', EXPORT_NAMES.join(', '))
    .addOption(new Option('--format <FORMAT>', 'format of the file').choices(EXPORT_FORMATS).default('csv'))
    .option(
      '--out <FILE>',
      'file to write; default: standard output. Until it is complete it is called FILE.part',
    );
  for (const [name, about] of Object.entries(describeParameters())) {
    command.option(`--${toFlag(name)} <VALUE>`, about, (value: string, before: string[] | undefined) => [
      ...(before ?? []),
      value,
    ]);
  }
  addDatabaseOptions(command).addHelpText('after', EXAMPLES).action(run);
}

async function run(text: string, options: ExportOptions): Promise<void> {
  try {
    const name = toExportName(text);
    const given = readFlags(options as unknown as Readonly<Record<string, unknown>>);
    await withDatabase(options, async ({ url, signal }) => {
      const reads = new ReadDatabase({ url, isReplica: false, poolSize: 2, statementMs: STATEMENT_MS });
      try {
        const exports = await openExports(reads, new SystemClock());
        await writeExport(exports, { name, format: options.format, given }, options.out, signal);
      } finally {
        await reads.close();
      }
    });
  } catch (error) {
    throw toUserError(error);
  }
}

function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function readFlags(options: Readonly<Record<string, unknown>>): GivenParameters {
  const names = Object.keys(describeParameters()).filter((name) => options[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, options[name] as readonly string[]]));
}

/** Reports errors of clients to the person who runs the command. */
function toUserError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const names = Object.keys(describeParameters());
  const message = error.message.replaceAll(/`(\w+)`/g, (quoted, name: string) =>
    names.includes(name) ? `--${toFlag(name)}` : quoted,
  );
  return new UserError(message, 'Run the command with --help to see its options.', 2, { cause: error });
}
