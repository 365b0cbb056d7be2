import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { NewEvent } from '../domain/events.js';
import { hidesSomething } from '../domain/printable-text.js';
import { appendNext } from '../event-log/append-next.js';
import { SystemClock } from '../platform/clock.js';
import { onConnection, type Query } from '../platform/sql.js';
import { type Exclusion, EXCLUSION, readExclusions } from '../projections/exclusions.js';
import { differsByExclusion } from '../projections/rebuild/read-model-set.js';
import { requireKnownNames } from '../statistics/read/known-names.query.js';
import { COMMAND_LINE } from './command-line.js';
import { addJsonOption, isoOf, type JsonOptions, toJsonText } from './json.js';
import { toSecond } from './moments.js';
import type { SettingOptions } from './setting-options.js';
import { printTable, type Column } from '../platform/table.js';
import { addDatabaseOptions, withDatabase, type DatabaseContext } from './with-database.js';

/** Characters. */
const LONGEST_REASON = 1_000;

const WAIT_MS = 1_000;

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
    await requireKnownNames(context.dataSource, { nodes: [id] }, { log: true });
    const [before] = await readExclusions(context.dataSource, [id]);
    const isNew = (before !== undefined) !== (event.type === 'NodeExcluded');
    if (isNew) await appendNext(await context.openLog(), `${id}${EXCLUSION}`, event);
    process.stdout.write(`${describeOrder(id, event, before, isNew)}\n`);
    await rebuildAll(context);
  });
}

function describeOrder(
  id: string,
  { type }: NewEvent,
  before: Exclusion | undefined,
  isNew: boolean,
): string {
  if (type === 'NodeIncluded') return isNew ? `${id} is included.` : `${id} was not excluded.`;
  if (!isNew && before) return `${id} is excluded already, since ${toSecond(before.at)}: ${before.why}`;
  return `${id} is excluded. Remove it from the settings: as long as they name it, it is polled.`;
}

/** Rebuilds, or waits for a service that does, until every set of read models follows the orders. */
async function rebuildAll(context: DatabaseContext): Promise<void> {
  const { READ_MODEL_SETS } = await import('../statistics/read-model-sets.js');
  const { RebuildTaken } = await import('../projections/rebuild/rebuild.js');
  const { rebuild } = await import('./rebuild.command.js');
  let isWaiting = false;
  for (;;) {
    let isTaken = false;
    for (const set of READ_MODEL_SETS) {
      const isNeeded = (query: Query) => differsByExclusion(query, set);
      if (!(await onConnection(context.dataSource, isNeeded))) continue;
      try {
        await rebuild(set, context, false, isNeeded);
      } catch (error) {
        if (!(error instanceof RebuildTaken)) throw error;
        isTaken = true;
      }
    }
    if (!isTaken) break;
    if (!isWaiting) process.stdout.write('Another process makes the other figures again: waiting for it.\n');
    isWaiting = true;
    await sleep(WAIT_MS, undefined, { signal: context.signal });
  }
  process.stdout.write('All figures, lists and pages follow.\n');
}

function readReason(text: string): string {
  if (text.trim() !== '' && text.length <= LONGEST_REASON && !hidesSomething(text)) return text.trim();
  throw new InvalidArgumentError(
    `It must have 1 to ${LONGEST_REASON} characters, without control characters.`,
  );
}

function now(): number {
  return new SystemClock().now();
}
