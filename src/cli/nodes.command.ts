import { type Command, InvalidArgumentError } from 'commander';
import type { NewEvent } from '../domain/events.js';
import { changeStream } from '../observe/change-stream.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { type Exclusion, EXCLUSION, readExclusions } from '../projections/exclusions.js';
import { COMMAND_LINE } from './command-line.js';
import { addJsonOption, isoOf, type JsonOptions, toJsonText } from './json.js';
import { toSecond } from './moments.js';
import type { SettingOptions } from './setting-options.js';
import { printTable, type Column } from '../platform/table.js';
import { addDatabaseOptions, withDatabase, type DatabaseContext } from './with-database.js';

/** Characters. */
const LONGEST_REASON = 1_000;

const COLUMNS: readonly Column<Exclusion>[] = [
  { title: 'EXCLUDED', read: ({ node }) => node },
  { title: 'SINCE', read: ({ at }) => toSecond(at) },
  { title: 'BY', read: ({ by }) => by },
  { title: 'WHY', read: ({ why }) => why },
];

interface ExcludeOptions extends SettingOptions {
  readonly why: string;
}

/** `hindsight nodes list`, `exclude` and `include`: takes nodes that were recorded by mistake out of all figures. */
export function define(nodes: Command): void {
  nodes.helpCommand(false);
  const list = nodes.command('list', { isDefault: true }).description('list the excluded nodes');
  addDatabaseOptions(addJsonOption(list)).action(listAll);
  const exclude = nodes
    .command('exclude')
    .description(
      'take a node that was recorded by mistake out of figures, lists, coverage and pages; the log keeps its events',
    )
    .argument('<id>', 'the node')
    .requiredOption('--why <TEXT>', 'the reason, which is recorded', readReason);
  addDatabaseOptions(exclude).action((id: string, { why, ...options }: ExcludeOptions) =>
    order(options, id, { type: 'NodeExcluded', observedAt: now(), body: { why, by: COMMAND_LINE } }),
  );
  const include = nodes
    .command('include')
    .description('undo `exclude`: everything that was recorded of the node counts again')
    .argument('<id>', 'the node');
  addDatabaseOptions(include).action((id: string, options: SettingOptions) =>
    order(options, id, { type: 'NodeIncluded', observedAt: now(), body: { by: COMMAND_LINE } }),
  );
}

async function listAll({ json, ...options }: SettingOptions & JsonOptions): Promise<void> {
  const excluded = await withDatabase(options, ({ dataSource }) => readExclusions(dataSource));
  if (json) {
    process.stdout.write(toJsonText(excluded.map(({ at, ...rest }) => ({ ...rest, at: isoOf(at) }))));
  } else if (excluded.length === 0) process.stdout.write('No node is excluded.\n');
  else process.stdout.write(printTable(COLUMNS, excluded));
}

/** Records the order unless it is in force, and makes the read models again that do not follow it yet. */
async function order(options: SettingOptions, id: string, event: NewEvent): Promise<void> {
  await withDatabase(options, async (context) => {
    const store = await context.openLog();
    const known = await store.getOwners('node');
    if (!known.includes(id)) {
      throw new UserError(
        `No node ${JSON.stringify(id.slice(0, 64))} was ever recorded.`,
        `Recorded nodes: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}.`,
        2,
      );
    }
    const excluded = (await readExclusions(context.dataSource)).some(({ node }) => node === id);
    if (excluded !== (event.type === 'NodeExcluded')) {
      await changeStream(store, `${id}${EXCLUSION}`, () => ({ event }));
    }
    process.stdout.write(
      event.type === 'NodeExcluded'
        ? `${id} is excluded. Remove it from the settings: as long as they name it, it is polled.\n`
        : `${id} is included.\n`,
    );
    await rebuildAll(context);
  });
}

async function rebuildAll(context: DatabaseContext): Promise<void> {
  const { READ_MODEL_SETS } = await import('../statistics/read-model-sets.js');
  const { differsByExclusion } = await import('../projections/rebuild/read-model-set.js');
  const { RebuildTaken } = await import('../projections/rebuild/rebuild.js');
  const { onConnection } = await import('../platform/sql.js');
  const { rebuild } = await import('./rebuild.command.js');
  let isLeft = false;
  for (const set of READ_MODEL_SETS) {
    const isNeeded = (query: Parameters<typeof differsByExclusion>[0]) => differsByExclusion(query, set);
    if (!(await onConnection(context.dataSource, isNeeded))) continue;
    try {
      await rebuild(set, context, false, isNeeded);
    } catch (error) {
      if (!(error instanceof RebuildTaken)) throw error;
      isLeft = true;
    }
  }
  process.stdout.write(
    isLeft
      ? 'The running service makes the other figures again; /health/ready lists them until they are in use.\n'
      : 'All figures, lists and pages follow.\n',
  );
}

function readReason(text: string): string {
  if (text.trim() !== '' && text.length <= LONGEST_REASON) return text.trim();
  throw new InvalidArgumentError(`It must have 1 to ${LONGEST_REASON} characters.`);
}

function now(): number {
  return new SystemClock().now();
}
