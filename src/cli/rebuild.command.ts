import type { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { ReadModelSet } from '../projections/rebuild/read-model-set.js';
import { createProgress } from './progress.js';
import { COMMAND_LINE } from './command-line.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase, type DatabaseContext } from './with-database.js';

/** `hindsight rebuild [NAME]`: replays the log into new read models and swaps them in, beside a running service or without. */
export function define(command: Command): void {
  command
    .argument('[name]', 'the read model; all of them when left out')
    .description(
      'replay the log into new read models and swap them in; those that depend on each other go together, and an interrupted rebuild is gone on with',
    );
  addDatabaseOptions(command).action(async (name: string | undefined, options: SettingOptions) => {
    const sets = await findSets(name);
    await withDatabase(options, async (context) => {
      for (const set of sets) await rebuild(set, context);
    });
  });
}

async function findSets(name: string | undefined): Promise<readonly ReadModelSet[]> {
  const { findReadModelSet, READ_MODEL_SETS, readModelNames } =
    await import('../statistics/read-model-sets.js');
  if (name === undefined) return READ_MODEL_SETS;
  const set = findReadModelSet(name);
  if (set) return [set];
  throw new UserError(
    `There is no read model called ${name}.`,
    `There are: ${readModelNames().join(', ')}.`,
    2,
  );
}

async function rebuild(set: ReadModelSet, { dataSource, signal }: DatabaseContext): Promise<void> {
  const { EventStore } = await import('../event-log/event-store.js');
  const { describeRoom } = await import('../projections/rebuild/disk-room.js');
  const { namesOf } = await import('../projections/rebuild/read-model-set.js');
  const { describeRebuild } = await import('../projections/rebuild/rebuild-progress.js');
  const { rebuildSet } = await import('../projections/rebuild/rebuild.js');
  const { recordJobRequest } = await import('../statistics/jobs/job-requests.js');
  const { REBUILD_JOB } = await import('../statistics/jobs/rebuild.job.js');
  const { isServiceAtWork } = await import('../projections/rebuild/service-at-work.js');
  const isGentle = await isServiceAtWork(dataSource);
  const progress = createProgress();
  const parts = { dataSource, store: new EventStore(dataSource), clock: new SystemClock() };
  const given = { projection: set.name };
  await recordJobRequest(parts, { job: REBUILD_JOB.name, arguments: given, by: COMMAND_LINE });
  await rebuildSet(parts, set, {
    signal,
    isGentle,
    announce: (room) =>
      process.stdout.write(
        `${set.name}: ${describeRoom(room)}.${isGentle ? ' A service is at work, so this takes half the machine at most.' : ''}\n`,
      ),
    report: (state) => progress.show(describeRebuild(state)),
  });
  progress.end();
  process.stdout.write(`Rebuilt ${namesOf(set).join(', ')}.\n`);
}
