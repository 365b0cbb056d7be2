import { type Command, InvalidArgumentError } from 'commander';
import { faultsToJson, printFaultLists } from './fault-table.js';
import { addJsonOption, type JsonOptions } from './json.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

const PAGE_ROWS = 50;
const MOST_PAGES = 1_000_000;

interface FaultsOptions extends SettingOptions, JsonOptions {
  readonly page: number;
}

/** `hindsight faults`: what read models and statistics continue without. Works with or without a running service. */
export function define(command: Command): void {
  command
    .description(
      'list the events that read models skipped, the streams that they quarantined, ' +
        'and the nodes and chains whose statistics cannot be computed',
    )
    .option('--page <N>', `page of each list, with ${PAGE_ROWS} rows`, readPage, 1);
  addDatabaseOptions(addJsonOption(command)).action(async (options: FaultsOptions) => {
    const { listFaults, listStreamsSetAside } = await import('../projections/fault-list.js');
    const { listOwnersSetAside } = await import('../statistics/roll-up/fault-list.js');
    const range = { limit: PAGE_ROWS, offset: (options.page - 1) * PAGE_ROWS };
    const lists = await withDatabase(options, async ({ dataSource }) => ({
      events: await listFaults(dataSource, range),
      streams: await listStreamsSetAside(dataSource, range),
      owners: await listOwnersSetAside(dataSource, range),
    }));
    const page = { page: options.page, pageRows: PAGE_ROWS };
    process.stdout.write(options.json ? faultsToJson(lists) : printFaultLists(lists, page));
  });
}

function readPage(text: string): number {
  const page = Number(text);
  if (!/^\d+$/.test(text) || page < 1 || page > MOST_PAGES) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_PAGES}.`);
  }
  return page;
}
