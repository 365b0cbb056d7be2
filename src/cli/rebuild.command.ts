import type { Command } from 'commander';
import type { Database } from '../platform/sql.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { ReadModelSet } from '../projections/rebuild/read-model-set.js';
import type { RebuildOptions } from '../projections/rebuild/rebuild.js';
import type { RecordSides } from '../projections/rebuild/record-differences.js';
import { printDifferences } from './difference-table.js';
import { withProgress } from './progress.js';
import { COMMAND_LINE } from './command-line.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase, type DatabaseContext } from './with-database.js';

/**
 * `hindsight rebuild [NAME]`: replays the log into new read models and swaps them in. Works with or without a running service.
 */
export function define(command: Command): void {
  command
    .argument('[name]', 'the read model; default: all')
    .description(
      'replay the log into new read models and swap them in. Read models that depend on each other are rebuilt together. An interrupted rebuild continues',
    );
  command.option(
    '--explain',
    'list the differences in the record afterwards, by reason, with a few examples',
  );
  addDatabaseOptions(command).action(async (name: string | undefined, options: RebuildFlags) => {
    const sets = await findSets(name);
    if (options.explain && !sets.some(isRecord)) {
      throw new UserError(
        '--explain compares the record.',
        'Use it to rebuild `record`, or all read models.',
        2,
      );
    }
    await withDatabase(options, async (context) => {
      for (const set of sets) await rebuild(set, context, Boolean(options.explain) && isRecord(set));
    });
  });
}

type RebuildFlags = SettingOptions & { readonly explain?: true };

function isRecord({ name }: ReadModelSet): boolean {
  return name === 'record';
}

async function findSets(name: string | undefined): Promise<readonly ReadModelSet[]> {
  const { findReadModelSet, READ_MODEL_SETS, readModelNames } =
    await import('../statistics/read-model-sets.js');
  if (name === undefined) return READ_MODEL_SETS;
  const set = findReadModelSet(name);
  if (set) return [set];
  throw new UserError(
    `There is no read model called ${name}.`,
    `Available: ${readModelNames().join(', ')}.`,
    2,
  );
}

/**
 * Rebuilds a set, gently next to a running service.
 * @param isNeeded checked under the lock of the rebuild: another process may have finished the same rebuild
 */
export async function rebuild(
  set: ReadModelSet,
  { dataSource, openLog, signal }: DatabaseContext,
  isExplained: boolean,
  isNeeded?: RebuildOptions['isNeeded'],
): Promise<void> {
  const { describeRoom } = await import('../projections/rebuild/disk-room.js');
  const { namesOf } = await import('../projections/rebuild/read-model-set.js');
  const { describeRebuild } = await import('../projections/rebuild/rebuild-progress.js');
  const { rebuildSet } = await import('../projections/rebuild/rebuild.js');
  const { recordJobRequest } = await import('../statistics/jobs/job-requests.js');
  const { REBUILD_JOB } = await import('../statistics/jobs/rebuild.job.js');
  const { isServiceAtWork } = await import('../projections/rebuild/service-at-work.js');
  const isGentle = await isServiceAtWork(dataSource);
  const parts = { dataSource, store: await openLog(), clock: new SystemClock() };
  const given = { projection: set.name };
  await recordJobRequest(parts, { job: REBUILD_JOB.name, arguments: given, by: COMMAND_LINE });
  await withProgress(set.name, 'events', (progress) =>
    rebuildSet(parts, set, {
      signal,
      isGentle,
      announce: (room) =>
        process.stdout.write(
          `${set.name}: ${describeRoom(room)}.${isGentle ? ' A service is running, so this uses at most half of the machine.' : ''}\n`,
        ),
      report: (state) => progress.show(describeRebuild(state)),
      ...(isNeeded && { isNeeded }),
      ...(isExplained && { compare: explain }),
    }),
  );
  process.stdout.write(`Rebuilt ${namesOf(set).join(', ')}.\n`);
}

async function explain(dataSource: Database, sides: RecordSides): Promise<void> {
  const { compareRecords } = await import('../projections/rebuild/record-differences.js');
  process.stdout.write(`\n${printDifferences(await compareRecords(dataSource, sides))}\n`);
}
