import type { DataSource } from 'typeorm';
import { inTransaction, onConnection, type Query } from '../../platform/sql.js';
import { loadPriceBooks } from '../../projections/prices/price-books.js';
import { SWAP_LOCK } from '../../projections/rebuild/table-swap.js';
import { PRICE_LOCK } from '../../projections/prices/price-lock.js';
import { aggregateAll } from './aggregate.js';
import { isOtherGeneration, markNewGeneration } from './generation.js';
import {
  BEFORE_ALL,
  deleteMarks,
  findOldestMark,
  hasAnyMark,
  lockMarkedQuarters,
  markEverything,
  type MarkRange,
} from './marks.js';
import { Members } from './members.js';
import { replaceBuckets } from './replace-buckets.js';
import { requireRulesVersion } from './rules-version.js';
import { QUARTER_US, type Quarter, type Subject } from './subject.js';
import { getTouchedQuarters } from './touched-quarters.js';

/** Bounds of one transaction; smaller ones make for more of them. */
export interface RollUpOptions {
  readonly subjects?: number;
  readonly quarters?: number;
  /** Rows of submissions that are fetched at once. */
  readonly pageRows?: number;
}

/** A bucket of millions of rows takes its time; other statements of the service end after half a minute. */
const STATEMENT_TIMEOUT = '30min';

/** Of one subject at a time: a day. */
const QUARTERS_OF_SUBJECT = 96;

/**
 * Computes marked quarter hours again, and the hours and days above them.
 *
 * A transaction locks some subjects, deletes their marks, and only in later statements reads the rows: what is committed
 * after that has marks of its own. Any number of processes may run it at the same time; none computes a subject that
 * another one has locked.
 */
export class RollUp {
  private readonly limits: { subjects: number; quarters: number; quartersOfSubject: number };
  private readonly pageRows: number | undefined;
  /** Where the last transaction stopped, so that subjects take turns. */
  private after: Subject = BEFORE_ALL;

  constructor(
    private readonly dataSource: DataSource,
    options: RollUpOptions = {},
  ) {
    const { subjects = 200, quarters = 1_000, pageRows } = options;
    this.limits = { subjects, quarters, quartersOfSubject: Math.min(QUARTERS_OF_SUBJECT, quarters) };
    this.pageRows = pageRows;
  }

  /**
   * Works in bounded transactions until no marks are left but those that another process is about to compute.
   *
   * @param shouldGoOn asked after each transaction
   * @returns how many buckets were computed
   * @throws OtherRules when the statistics were computed by other rules
   */
  async run(shouldGoOn: () => boolean = () => true): Promise<number> {
    await this.checkGeneration();
    let computed = 0;
    let inThisTurn = this.after.nodeKey === BEFORE_ALL.nodeKey ? 0 : 1;
    for (;;) {
      const buckets = await this.step();
      computed += buckets;
      inThisTurn += buckets;
      if (buckets === 0) {
        this.after = BEFORE_ALL;
        if (inThisTurn === 0) return computed;
        inThisTurn = 0;
      }
      if (!shouldGoOn()) return computed;
    }
  }

  /** Whether there is anything to compute. */
  hasMarks(): Promise<boolean> {
    return onConnection(
      this.dataSource,
      async (query) => (await hasAnyMark(query)) || (await isOtherGeneration(query)),
    );
  }

  /** Start of the earliest quarter that is to be computed, Unix microseconds; undefined when none is. */
  oldestMark(): Promise<bigint | undefined> {
    return onConnection(this.dataSource, findOldestMark);
  }

  /** Marks what there is within a range, of a chain or of all. */
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

  /** One transaction. 0: there are no marks behind where the last one stopped. */
  private step(): Promise<number> {
    return inTransaction(this.dataSource, async (query) => {
      await prepare(query);
      // First, so that nothing else is held while a swap goes before.
      await query(`SELECT pg_advisory_xact_lock_shared(${SWAP_LOCK})`);
      // Prices change under the exclusive lock, together with their marks: here they stand still.
      await query(`SELECT pg_advisory_xact_lock_shared(${PRICE_LOCK})`);
      await requireRulesVersion(query);
      const marked = await lockMarkedQuarters(query, this.after, this.limits);
      if (marked.length === 0) return 0;
      await deleteMarks(query, marked);
      const buckets = await this.compute(query, marked);
      this.after = marked.at(-1) ?? BEFORE_ALL;
      return buckets;
    });
  }

  private async compute(query: Query, marked: readonly Quarter[]): Promise<number> {
    const members = await Members.load(query);
    const books = await loadPriceBooks(query);
    const quarters = [...marked, ...(await getTouchedQuarters(query, marked, members))];
    const units = quarters.map((quarter) => ({
      nodeKey: quarter.nodeKey,
      chain: quarter.chain,
      fromUs: quarter.quarterUs,
      toUs: quarter.quarterUs + QUARTER_US,
    }));
    const given = { books, ...(this.pageRows !== undefined && { pageRows: this.pageRows }) };
    const sums = await aggregateAll(query, units, given, members);
    return replaceBuckets(query, quarters, sums);
  }
}

async function prepare(query: Query): Promise<void> {
  await query("SELECT set_config('statement_timeout', $1, true), set_config('jit', 'off', true)", [
    STATEMENT_TIMEOUT,
  ]);
}
