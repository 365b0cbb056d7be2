import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { openBeside } from '../../platform/database.js';
import { TAKE_TIME_BACK } from '../../platform/timed-client.js';
import { UserError } from '../../platform/errors.js';
import { findLockHolders } from '../../platform/locks.js';
import { loadReadModelMigrations } from '../../platform/migrations.js';
import { type Database, inTransaction, onConnection, type Query } from '../../platform/sql.js';
import type { Projection } from '../projection.js';
import { ProjectionRunner } from '../projection-runner.js';
import { measureRoom, requireRoom, type DiskRoom } from './disk-room.js';
import { tablesOf, type ReadModelSet } from './read-model-set.js';
import { RebuildProgress, type RebuildReport } from './rebuild-progress.js';
import { prepareSchema, readLiveSchema, requireSchema, schemaOf } from './rebuild-schema.js';
import { swapTables } from './table-swap.js';

/** What a rebuild works with. */
export interface RebuildParts {
  readonly dataSource: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  /** SQL that makes the tables; the migrations of this release when left out. */
  readonly migrations?: readonly string[];
}

/** How a rebuild goes about it. */
export interface RebuildOptions {
  /** Ends it between two steps; what was done is there for the next one, which goes on from it. */
  readonly signal: AbortSignal;
  /** Beside a service that is at work: rests as long as it worked, so that it takes half a machine at most. */
  readonly isGentle: boolean;
  /** Asked once nobody else can be at it: another process may have done it meanwhile. */
  readonly isNeeded?: (query: Query) => Promise<boolean>;
  /** Told once, before it begins. */
  readonly announce: (room: DiskRoom) => void;
  readonly report: RebuildReport;
  /** Looks at both before the new tables take the place of the old ones, by connections to the new ones. */
  readonly compare?: (
    beside: Database,
    schemas: { readonly live: string; readonly fresh: string },
  ) => Promise<void>;
}

/** Another process is at it. */
export class RebuildTaken extends UserError {}

/** What is left to replay when this took no longer can be replayed while the live projections wait. */
const CLOSE_MS = 1_000;

/** What came while the figures were computed is computed again, this often at most: with many nodes some marks always stand. */
const ROUNDS = 5;

/** The planner is told how large the new tables are after so many batches, and each time their number has doubled. */
const FIRST_ANALYZE = 4;

/** For what reads many pages of tables, wherever they lie on the disk. */
const LONG_TIMEOUT = '10min';

/** Connections: the replay, and what is computed from it. */
const POOL_SIZE = 2;

/**
 * Replays the log into new tables of a set beside the live ones, and computes what is derived of them. Then it swaps
 * all of it in at once. Readers, recording and the live read models go on meanwhile.
 *
 * @throws RebuildTaken when another process rebuilds the same set
 * @throws UserError when the disk has no room for a second copy
 * @throws when the signal is given, with its reason
 */
export async function rebuildSet(
  parts: RebuildParts,
  set: ReadModelSet,
  options: RebuildOptions,
): Promise<void> {
  await onConnection(parts.dataSource, async (guard) => {
    // One rebuild of a set at a time, across processes.
    const key = `hashtext('hindsight rebuild ${set.name}')`;
    const [lock] = await guard<{ won: boolean }>(`SELECT pg_try_advisory_lock(${key}) AS won`);
    if (!lock?.won) {
      const holders = await findLockHolders(guard, key);
      throw new RebuildTaken(
        `Another process is rebuilding ${set.name}: ${holders}.`,
        'Wait until it has finished.',
      );
    }
    try {
      if ((await options.isNeeded?.(guard)) === false) return;
      const projections = set.createProjections();
      const { migrations = loadReadModelMigrations() } = parts;
      const room = await measureRoom(parts.dataSource, schemaOf(set), tablesOf(set, projections));
      requireRoom(room);
      options.announce(room);
      const isResumed = await prepareSchema(parts.dataSource, set, projections, migrations);
      const live = await readLiveSchema(guard);
      const beside = await openBeside(parts.dataSource, [schemaOf(set), live], POOL_SIZE).initialize();
      try {
        await requireSchema(beside, schemaOf(set));
        const stillOurs = async (): Promise<void> => void (await guard('SELECT 1'));
        const rebuild = new Rebuild(parts, { beside, live }, set, projections, options);
        await rebuild.prepare(isResumed);
        await options.compare?.(beside, { live, fresh: schemaOf(set) });
        await rebuild.swap(stillOurs);
      } finally {
        await beside.destroy();
      }
    } finally {
      // A session that is gone has let go of it.
      await guard(`SELECT pg_advisory_unlock(${key})`).catch(() => undefined);
    }
  });
}

/** One rebuild under way. */
class Rebuild {
  private readonly runner: ProjectionRunner;
  private readonly progress: RebuildProgress;
  /** How far each projection has taken over what it takes over. */
  private readonly carried = new Map<Projection, bigint>();
  private stepBegan: number;
  private batches = 0;
  private nextAnalyze = FIRST_ANALYZE;

  constructor(
    private readonly parts: RebuildParts,
    private readonly place: { readonly beside: Database; readonly live: string },
    private readonly set: ReadModelSet,
    private readonly projections: readonly Projection[],
    private readonly options: RebuildOptions,
  ) {
    this.runner = new ProjectionRunner(place.beside, parts.store);
    this.progress = new RebuildProgress(set.name, projections.length, parts.clock, options.report);
    this.stepBegan = parts.clock.monotonic();
  }

  /** Fills the new tables with what there is. */
  async prepare(isResumed: boolean): Promise<void> {
    this.progress.begin(isResumed);
    await this.approach();
    await this.settle();
    await this.analyze();
    await this.carryOver();
  }

  /** @param stillOurs rejects when another process may be at it */
  async swap(stillOurs: () => Promise<void>): Promise<void> {
    const { dataSource, clock } = this.parts;
    const tables = tablesOf(this.set, this.projections);
    await swapTables(
      dataSource,
      clock,
      {
        schema: schemaOf(this.set),
        tables,
        projections: this.projections.map(({ name }) => name),
        approach: async () => {
          await stillOurs();
          await this.catchUpQuickly();
        },
        reach: async (position) => {
          await this.reach(position);
          await this.carryOver();
        },
      },
      this.options.signal,
    );
  }

  /** Replays what there is, and what came meanwhile, until that takes less than a second. */
  private async approach(): Promise<void> {
    for (;;) {
      const began = this.parts.clock.monotonic();
      const end = await this.parts.store.lastPosition();
      for (const [index, projection] of this.projections.entries()) await this.replay(projection, index, end);
      if (this.parts.clock.monotonic() - began < CLOSE_MS) return;
    }
  }

  /** While roll-ups wait: without a rest, and a few rounds at most. What is left is replayed while the live projections wait. */
  private async catchUpQuickly(): Promise<void> {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const began = this.parts.clock.monotonic();
      await this.reach(await this.parts.store.lastPosition());
      if (this.parts.clock.monotonic() - began < CLOSE_MS) return;
    }
  }

  /** Computes what is marked, and what came meanwhile, until that goes quickly or time and again does not. */
  private async settle(): Promise<void> {
    const { derived } = this.set;
    if (!derived) return;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const began = this.parts.clock.monotonic();
      this.progress.computing();
      await derived.settle(this.place.beside, () => this.rest());
      await this.approach();
      if (this.parts.clock.monotonic() - began < CLOSE_MS) return;
    }
  }

  private async reach(position: bigint): Promise<void> {
    for (const projection of this.projections) await this.runner.catchUpPatiently(projection, position);
  }

  private async carryOver(): Promise<void> {
    const { beside, live } = this.place;
    for (const projection of this.projections) {
      const { succession } = projection;
      if (!succession) continue;
      const done = await inTransaction(beside, async (query) => {
        await query(`SET LOCAL statement_timeout = '${LONG_TIMEOUT}'`);
        return succession.carryOver(query, live, this.carried.get(projection));
      });
      this.carried.set(projection, done);
    }
  }

  private replay(projection: Projection, index: number, end: bigint): Promise<void> {
    return this.runner.catchUpPatiently(projection, end, async (position) => {
      this.progress.replayed(index, position, end);
      this.batches += 1;
      if (this.batches >= this.nextAnalyze) {
        this.nextAnalyze = this.batches * 2;
        await this.analyze();
      }
      await this.rest();
      return true;
    });
  }

  private async rest(): Promise<void> {
    const { clock } = this.parts;
    const { signal, isGentle } = this.options;
    signal.throwIfAborted();
    if (isGentle) await clock.sleep(clock.monotonic() - this.stepBegan, signal);
    signal.throwIfAborted();
    this.stepBegan = clock.monotonic();
  }

  /** Neither the replay nor the first question to the new tables may go by a plan for empty ones. */
  private async analyze(): Promise<void> {
    await onConnection(this.place.beside, async (query) => {
      await query(`SET statement_timeout = '${LONG_TIMEOUT}'`);
      for (const table of tablesOf(this.set, this.projections)) await query(`ANALYZE "${table}"`);
      await query(TAKE_TIME_BACK);
    });
    // A slow disk is no reason to work without a rest.
    this.stepBegan = this.parts.clock.monotonic();
  }
}
