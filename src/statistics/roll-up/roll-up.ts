import type { PriceBook } from '../../domain/cost/price-book.js';
import { QUARTER_US } from '../../domain/time.js';
import { takeLock } from '../../platform/locks.js';
import { type Database, inTransaction, onConnection, type Query } from '../../platform/sql.js';
import { isFaultOfData } from '../../projections/faults.js';
import { loadPriceBooks } from '../../projections/prices/prices.js';
import { HalvingSize } from '../../projections/halving-size.js';
import { PRICE_LOCK } from '../../projections/prices/price-lock.js';
import { SWAP_LOCK } from '../../projections/rebuild/table-swap.js';
import { aggregate } from './aggregate.js';
import {
  BEFORE_ALL,
  deleteMarks,
  hasAnyMark,
  lockDueQuarters,
  lockMarkedQuarters,
  markEverything,
  type MarkLimits,
  type MarkRange,
} from './marks.js';
import { Members, type MarkOwner, type Quarter } from './members.js';
import { remakeDays } from './remake-days.js';
import { replaceBuckets } from './replace-buckets.js';
import {
  isOtherGeneration,
  LOCK_WAIT_MS,
  markNewGeneration,
  requireRulesVersion,
  isNewer,
  readZoneData,
  requireZoneData,
  takeOverZoneData,
} from './generation.js';
import { dropIdleFaults, type FailedOwner, PoisonedOwners, readmit, quarantine } from './quarantine.js';
import { getTouchedQuarters } from './touched-quarters.js';

/** Bounds of one transaction; smaller bounds mean more transactions. */
export interface RollUpOptions {
  readonly owners?: number;
  readonly quarters?: number;
  /** Rows of submissions per fetch. */
  readonly pageRows?: number;
  /** Called once for each owner that is quarantined, until it has been computed again. */
  readonly onFault?: (fault: FailedOwner) => void;
}

/** A bucket of millions of rows takes long; other statements of the service time out after half a minute. */
const STATEMENT_TIMEOUT = '30min';

/** Quarters of one owner per transaction: a day. */
const QUARTERS_OF_OWNER = 96;

/** Quarantined owners that a run retries at most, so that they do not delay the others. */
const MOST_RETRIES = 10;

/**
 * Computes marked quarter hours again, and the hours and days above them.
 *
 * A transaction locks some owners, deletes their marks, and only in later statements reads the rows. Rows that are committed
 * after that have their own marks. Any number of processes may run it at the same time; no process computes an owner that
 * another process has locked.
 *
 * An owner whose stored data make the computation fail is quarantined with its marks. It is retried after growing pauses; the
 * other owners of its transaction continue. {@link HalvingSize} finds it.
 */
export class RollUp {
  private readonly limits: Readonly<MarkLimits>;
  /** Owners in a transaction. */
  private readonly owners: HalvingSize;
  /** Where the last transaction stopped, so that owners take turns. */
  private after: MarkOwner = BEFORE_ALL;

  constructor(
    private readonly dataSource: Database,
    private readonly options: RollUpOptions = {},
  ) {
    const { owners = 200, quarters = 1_000 } = options;
    this.limits = { owners, quarters, quartersOfOwner: Math.min(QUARTERS_OF_OWNER, quarters) };
    this.owners = new HalvingSize(owners);
  }

  /**
   * Works in bounded transactions until no marks are left, except those that another process is about to compute and those of
   * quarantined owners.
   *
   * @param shouldGoOn called after each transaction; false ends the run
   * @returns the number of computed buckets
   * @throws OtherRules if the statistics were computed by other rules
   * @throws OtherZoneData if their days were made by newer zone data
   */
  async run(shouldGoOn: () => boolean = () => true): Promise<number> {
    await this.checkGeneration();
    await this.checkZoneData();
    await onConnection(this.dataSource, dropIdleFaults);
    let computed = 0;
    for (let tries = 0; tries < MOST_RETRIES; tries++) {
      const buckets = await this.retry();
      if (buckets === undefined) break;
      computed += buckets;
      if (!shouldGoOn()) return computed;
    }
    let inThisTurn = this.after.nodeKey === BEFORE_ALL.nodeKey ? 0 : 1;
    for (;;) {
      const buckets = await this.step();
      computed += buckets ?? 0;
      inThisTurn += buckets ?? 0;
      if (buckets === undefined) {
        this.after = BEFORE_ALL;
        if (inThisTurn === 0) return computed;
        inThisTurn = 0;
      }
      if (!shouldGoOn()) return computed;
    }
  }

  hasMarks(): Promise<boolean> {
    return onConnection(
      this.dataSource,
      async (query) =>
        (await hasAnyMark(query)) || (await isOtherGeneration(query)) || isNewer(await readZoneData(query)),
    );
  }

  /** Marks everything within a range, for one chain or all chains. */
  async markAll(query: Query, range: MarkRange = {}): Promise<void> {
    await query("SELECT set_config('statement_timeout', $1, true)", [STATEMENT_TIMEOUT]);
    await markEverything(query, range);
  }

  private async checkGeneration(): Promise<void> {
    if (!(await onConnection(this.dataSource, isOtherGeneration))) return;
    await inTransaction(this.dataSource, async (query) => {
      await prepare(query);
      await requireRulesVersion(query);
      await markNewGeneration(query);
    });
  }

  /** Days follow the newest zone data that any worker had. */
  private async checkZoneData(): Promise<void> {
    if (!isNewer(await onConnection(this.dataSource, readZoneData))) return;
    await inTransaction(this.dataSource, async (query) => {
      await prepare(query);
      await query(`SELECT pg_advisory_xact_lock_shared(${SWAP_LOCK})`);
      await requireRulesVersion(query);
      if (await takeOverZoneData(query)) await remakeDays(query);
    });
  }

  /** Runs one transaction. Undefined if there are no marks after the point where the last one stopped. */
  private async step(): Promise<number | undefined> {
    const limits = { ...this.limits, owners: this.owners.limit };
    const done = await this.attempt((query) => lockMarkedQuarters(query, this.after, limits));
    if (done === undefined) return undefined;
    if (done.last !== undefined) {
      this.after = done.last;
      this.owners.noteSuccess();
    }
    return done.buckets;
  }

  /** Retries one quarantined owner. Undefined if no owner is due. */
  private async retry(): Promise<number | undefined> {
    const limits = { ...this.limits, owners: 1 };
    const done = await this.attempt(async (query) => {
      const quarters = await lockDueQuarters(query, limits);
      await readmit(query, quarters);
      return quarters;
    });
    return done?.buckets;
  }

  /** Undefined if nothing was locked; without `last` if the locked owners could not be computed. */
  private async attempt(
    lock: (query: Query) => Promise<Quarter[]>,
  ): Promise<{ readonly buckets: number; readonly last?: MarkOwner } | undefined> {
    try {
      return await inTransaction(this.dataSource, (query) => this.computeLocked(query, lock));
    } catch (error) {
      if (!(error instanceof PoisonedOwners)) throw error;
      const [first] = error.owners;
      if (this.owners.noteFailure(error.owners.length) && first) await this.setAside(first, error.cause);
      return { buckets: 0 };
    }
  }

  private async computeLocked(
    query: Query,
    lock: (query: Query) => Promise<Quarter[]>,
  ): Promise<{ readonly buckets: number; readonly last?: MarkOwner } | undefined> {
    await prepare(query);
    // Taken first, so that no other lock is held while this waits for a swap.
    await takeLock(query, SWAP_LOCK, { of: 'the set of read models', waitMs: LOCK_WAIT_MS, isShared: true });
    // Prices change under the exclusive lock, together with their marks, so they cannot change here.
    await takeLock(query, PRICE_LOCK, { of: 'the price book', waitMs: LOCK_WAIT_MS, isShared: true });
    await requireRulesVersion(query);
    await requireZoneData(query);
    const marked = await lock(query);
    const last = marked.at(-1);
    if (last === undefined) return undefined;
    await deleteMarks(query, marked);
    const members = await Members.load(query);
    const books = await loadPriceBooks(query);
    try {
      return { buckets: await this.compute(query, marked, members, books), last };
    } catch (error) {
      throw isFaultOfData(error) ? new PoisonedOwners(marked, error) : error;
    }
  }

  private async compute(
    query: Query,
    marked: readonly Quarter[],
    members: Members,
    books: ReadonlyMap<string, PriceBook>,
  ): Promise<number> {
    const quarters = [...marked, ...(await getTouchedQuarters(query, marked, members))];
    const units = quarters.map((quarter) => ({
      nodeKey: quarter.nodeKey,
      chain: quarter.chain,
      fromUs: quarter.quarterAt,
      toUs: quarter.quarterAt + QUARTER_US,
    }));
    const { pageRows } = this.options;
    const sums = await aggregate(query, units, { books, pageRows, members });
    return replaceBuckets(query, quarters, sums);
  }

  private async setAside(owner: MarkOwner, cause: unknown): Promise<void> {
    const fault = await inTransaction(this.dataSource, (query) => quarantine(query, owner, cause));
    if (fault) this.options.onFault?.(fault);
  }
}

async function prepare(query: Query): Promise<void> {
  await query("SELECT set_config('statement_timeout', $1, true), set_config('jit', 'off', true)", [
    STATEMENT_TIMEOUT,
  ]);
}
