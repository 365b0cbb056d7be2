import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { EventStore } from '../event-log/event-store.js';
import { messageOf, UserError } from '../platform/errors.js';
import { Loop, LoopDirectory } from '../platform/loops/loop.js';
import { RareLog } from '../platform/rare-log.js';
import { Database, onConnection } from '../platform/sql.js';
import { describeRoom } from '../projections/rebuild/disk-room.js';
import {
  type ReadModelSet,
  findOtherVersions,
  needsRebuild,
  namesOf,
  type DerivedTables,
} from '../projections/rebuild/read-model-set.js';
import { RebuildTaken, rebuildSet } from '../projections/rebuild/rebuild.js';
import { describeRebuild, type RebuildState } from '../projections/rebuild/rebuild-progress.js';
import { STATISTICS_OPTIONS, type StatisticsOptions } from './statistics.service.js';
import { PROJECTION_FACTORIES } from '../projections/all-projections.js';
import { RollUp } from './roll-up/roll-up.js';
import { readRulesVersion, ROLL_UP_VERSION } from './roll-up/generation.js';

const STATISTICS: DerivedTables = {
  name: 'statistics',
  version: ROLL_UP_VERSION,
  tables: ['statistic', 'block_statistic', 'statistic_state', 'roll_up_mark', 'roll_up_fault'],
  readVersion: readRulesVersion,
  settle: rollUpAll,
};

/** Statistics are computed from the record and the prices. */
const RECORD_SET = ['record', 'prices'];

/** All read models, in the sets that are rebuilt together. A new read model that nothing depends on forms its own set. */
export const READ_MODEL_SETS: readonly ReadModelSet[] = [
  { name: 'record', createProjections: () => RECORD_SET.map(create), derived: STATISTICS },
  ...Object.keys(PROJECTION_FACTORIES)
    .filter((name) => !RECORD_SET.includes(name))
    .map((name) => ({ name, createProjections: () => [create(name)] })),
];

/** The set with this name, or the set that contains a read model with this name. */
export function findReadModelSet(name: string): ReadModelSet | undefined {
  return READ_MODEL_SETS.find((set) => namesOf(set).includes(name));
}

/** Every name that {@link findReadModelSet} knows. */
export function readModelNames(): string[] {
  return READ_MODEL_SETS.flatMap(namesOf);
}

function create(name: string) {
  const make = PROJECTION_FACTORIES[name];
  if (!make) throw new Error(`there is no projection ${name}`);
  return make();
}

async function rollUpAll(dataSource: Database, rest: () => Promise<void>): Promise<void> {
  const rollUp = new RollUp(dataSource);
  while (await rollUp.hasMarks()) {
    await rollUp.run(() => false);
    await rest();
  }
}

/** The versions are checked at this pace: at the start, after a swap, and after a rebuild by another process. */
const LOOK_EVERY_MS = 5_000;

/** Pause after a failed rebuild, and while another process rebuilds. */
const REST_MS = 60_000;

/** A rebuild logs its progress at this pace. */
const TELL_EVERY_MS = 30_000;

/**
 * Rebuilds read models that an older release made by other rules, or that were made before a node was excluded or included. Until the
 * new ones are swapped in, queries are answered from the old ones. Those of an older release are not updated.
 */
@Injectable()
export class ReadModelUpgrades
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly loop: Loop;
  private readonly complaints: RareLog;
  private readonly complained = new Set<string>();

  constructor(
    private readonly writes: Database,
    private readonly store: EventStore,
    private readonly loops: LoopDirectory,
    @Inject(STATISTICS_OPTIONS) private readonly options: StatisticsOptions,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
    this.loop = new Loop(
      {
        name: 'read-model-sets',
        turn: (signal) => this.upgrade(signal),
        onFailure: (error) => this.complaints.warn(error, 'the versions of the read models cannot be read'),
      },
      { clock: options.clock, backoff: { firstMs: LOOK_EVERY_MS, longestMs: REST_MS } },
    );
  }

  onApplicationBootstrap(): void {
    this.loops.start(this.loop);
  }

  beforeApplicationShutdown(): void {
    this.loop.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loops.stop(this.loop);
  }

  /** @returns milliseconds until the next check of the versions */
  private async upgrade(signal: AbortSignal): Promise<number> {
    let pauseMs = LOOK_EVERY_MS;
    for (const set of READ_MODEL_SETS) {
      if (signal.aborted) break;
      if (!(await this.isOutdated(set))) continue;
      try {
        await this.rebuild(set, signal);
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof RebuildTaken) {
          this.options.logger.debug({ set: set.name }, 'another process rebuilds the read models');
          continue;
        }
        pauseMs = REST_MS;
        await this.noteFailure(set, error);
      }
    }
    return pauseMs;
  }

  /** Notes the failure in the log and in the database, so that every process can report it. */
  private async noteFailure({ name }: ReadModelSet, error: unknown): Promise<void> {
    const remedy = error instanceof UserError ? ` ${error.remedy}` : '';
    const text = `${messageOf(error)}${remedy}`;
    this.complaints.warn(
      new Error(text),
      `the read models of ${name} could not be rebuilt; the rebuild will be retried`,
    );
    await this.writes
      .query(
        `INSERT INTO rebuild_failure (name, error) VALUES ($1, left($2, 1000)) ON CONFLICT (name)
         DO UPDATE SET error = excluded.error, tried_at = excluded.tried_at`,
        [name, text],
      )
      .catch(() => undefined);
  }

  /** Whether the tables must be made again. Tables of a newer release are left alone, with one warning. */
  private async isOutdated(set: ReadModelSet): Promise<boolean> {
    const others = await onConnection(this.writes, (query) => findOtherVersions(query, set));
    for (const { name, stored, ours } of others) {
      if (stored <= ours || this.complained.has(name)) continue;
      this.complained.add(name);
      const versions = { readModel: name, stored, ours };
      this.options.logger.warn(
        versions,
        'a newer release made this read model: this process does not change it, and should be upgraded',
      );
    }
    return onConnection(this.writes, (query) => needsRebuild(query, set, others));
  }

  private async rebuild(set: ReadModelSet, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.options;
    let toldAt = clock.monotonic();
    await rebuildSet({ dataSource: this.writes, store: this.store, clock }, set, {
      signal,
      isGentle: true,
      isNeeded: (query) => needsRebuild(query, set),
      announce: (room) =>
        logger.info(
          { set: set.name, disk: describeRoom(room) },
          'rebuilding read models; queries use the old ones until then',
        ),
      report: (state: RebuildState) => {
        if (clock.monotonic() - toldAt < TELL_EVERY_MS) return;
        toldAt = clock.monotonic();
        logger.info({ set: set.name, progress: describeRebuild(state) }, 'rebuilding');
      },
    });
    await this.writes.query('DELETE FROM rebuild_failure WHERE name = $1', [set.name]);
    logger.info({ set: set.name }, 'the read models are rebuilt and in use');
  }
}
