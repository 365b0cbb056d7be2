import { type Command, Option } from 'commander';
import { toPrintableJson } from '../domain/printable-text.js';
import { millisToMicros } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { ReadFault } from '../statistics/read/plan/read-fault.js';
import { readPostMortem, type IncidentWish } from './incident-data.js';
import { toIncidentJson } from './incident-json.js';
import { toIncidentMarkdown } from './incident-markdown.js';
import { readMoment } from './moments.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface IncidentOptions extends SettingOptions {
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly format: 'markdown' | 'json';
}

const TIME_REMEDY = 'Write it as 2026-03-01T00:00:00Z, or as a day: 2026-03-01.';

/** `hindsight incident NODE`: a post-mortem of trouble of a node's DA layer, beside a running service or without one. */
export function define(command: Command): void {
  command
    .argument('<node>', 'the id of the node')
    .option('--at <TIME>', 'of the trouble around this time')
    .option('--from <TIME>', 'of an interval: where it begins, inclusive')
    .option('--to <TIME>', 'where it ends, exclusive; now when left out')
    .addOption(
      new Option('--format <FORMAT>', 'how to print it').choices(['markdown', 'json']).default('markdown'),
    );
  addDatabaseOptions(command).action(run);
}

async function run(node: string, options: IncidentOptions): Promise<void> {
  const nowUs = millisToMicros(new SystemClock().now());
  const wish = readWish(options, nowUs);
  const told = await withDatabase(options, async ({ dataSource }) => {
    try {
      return await readPostMortem(dataSource, node, wish, nowUs);
    } catch (error) {
      if (!(error instanceof ReadFault)) throw error;
      throw new UserError(error.message.replaceAll('`', ''), 'Give a shorter time.', 1, { cause: error });
    }
  });
  process.stdout.write(
    options.format === 'json' ? `${toPrintableJson(toIncidentJson(told))}\n` : toIncidentMarkdown(told),
  );
}

function readWish({ at, from, to }: IncidentOptions, nowUs: bigint): IncidentWish {
  if (at !== undefined && from === undefined && to === undefined)
    return { atUs: readMoment('--at', at, TIME_REMEDY) };
  if (at !== undefined || from === undefined)
    throw new UserError('It must be told of which time.', 'Give --at TIME, or --from TIME [--to TIME].', 2);
  const fromUs = readMoment('--from', from, TIME_REMEDY);
  const toUs = to === undefined ? nowUs : readMoment('--to', to, TIME_REMEDY);
  if (fromUs >= toUs) throw new UserError('--from must be before --to.', TIME_REMEDY, 2);
  return { fromUs, toUs };
}
