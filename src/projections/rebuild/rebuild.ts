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

export interface RebuildParts {
  readonly dataSource: Database;
  readonly store: EventStore;
  readonly clock: Clock;
  /** SQL that creates the tables; default: the migrations of this release. */
  readonly migrations?: readonly string[];
}

export interface RebuildOptions {
  /** Ends the rebuild between two steps; the next rebuild continues from there. */
  readonly signal: AbortSignal;
  /** Set next to a running service: rests as long as it worked, so that it takes at most half of a machine. */
  readonly isGentle: boolean;
  /** Checked once the rebuild has its lock: another process may have finished the same rebuild in the meantime. */
  readonly isNeeded?: (query: Query) => Promise<boolean>;
  /** Called once, before the rebuild begins. */
  readonly announce: (room: DiskRoom) => void;
  readonly report: RebuildReport;
  /** Compares both records before the swap, over connections to the new tables. */
  readonly compare?: (
    beside: Database,
    schemas: { readonly live: string; readonly fresh: string },
  ) => Promise<void>;
}

/** Another process already rebuilds the set. */
export class RebuildTaken extends UserError {}

/** If a round of replay took less than this, the rest can be replayed while the live projections wait. */
const CLOSE_MS = 1_000;

/** The most rounds of computing what was marked during the previous round: with many nodes some marks are always left. */
const ROUNDS = 5;

/** The first ANALYZE of the new tables comes after this many batches, the next each time their number has doubled. */
const FIRST_ANALYZE = 4;

/** For statements that read many pages of tables, wherever they lie on the disk. */
const LONG_TIMEOUT = '10min';

/** Two connections: one for the replay, one for the computation from it. */
const POOL_SIZE = 2;

/**
 * Replays the log into new tables next to the live ones, and computes what is derived from them. Then it swaps all of it in
 * at once. Readers, recording and the live read models continue meanwhile.
 *
 * @throws RebuildTaken when another process rebuilds the same set
 * @throws UserError when the disk lacks space for a second copy
 * @throws the signal's reason when it is aborted
 */
export async function rebuildSet(
  parts: RebuildParts,
  set: ReadModelSet,
  options: RebuildOptions,
): Promise<void> {
  await onConnection(parts.dataSource, async (guard) => {
    // A lock allows one rebuild of a set at a time, across processes.
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
      // If the session is gone, the lock is released already.
      await guard(`SELECT pg_advisory_unlock(${key})`).catch(() => undefined);
    }
  });
}

class Rebuild {
  private readonly runner: ProjectionRunner;
  private readonly progress: RebuildProgress;
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

  async prepare(isResumed: boolean): Promise<void> {
    this.progress.begin(isResumed);
    await this.approach();
    await this.settle();
    await this.analyze();
    await this.carryOver();
  }

  /** @param stillOurs rejects when the lock may be lost to another process */
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

  /** Replays the log in rounds, until a round takes less than a second. */
  private async approach(): Promise<void> {
    for (;;) {
      const began = this.parts.clock.monotonic();
      const end = await this.parts.store.lastPosition();
      for (const [index, projection] of this.projections.entries()) await this.replay(projection, index, end);
      if (this.parts.clock.monotonic() - began < CLOSE_MS) return;
    }
  }

  /**
   * Catches up without a rest and in a few rounds only, because roll-ups wait meanwhile. The rest is replayed while the
   * live projections wait.
   */
  private async catchUpQuickly(): Promise<void> {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const began = this.parts.clock.monotonic();
      await this.reach(await this.parts.store.lastPosition());
      if (this.parts.clock.monotonic() - began < CLOSE_MS) return;
    }
  }

  /** Computes everything marked, and what was marked meanwhile, until a round is quick or the rounds are used up. */
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

  /** Neither the replay nor the first query on the new tables should use a plan for empty tables. */
  private async analyze(): Promise<void> {
    await onConnection(this.place.beside, async (query) => {
      await query(`SET statement_timeout = '${LONG_TIMEOUT}'`);
      for (const table of tablesOf(this.set, this.projections)) await query(`ANALYZE "${table}"`);
      await query(TAKE_TIME_BACK);
    });
    // The time of ANALYZE does not count as work: a slow disk must not lengthen the next rest.
    this.stepBegan = this.parts.clock.monotonic();
  }
}
