import type { PriceBook } from '../../domain/cost/price-book.js';
import { Sketch } from '../../domain/statistics/sketch.js';
import type { Query } from '../../platform/sql.js';
import { boundOf } from '../read/measure-rules.js';
import { MEASURES } from '../read/measures.js';
import { sumUp, type Unit } from '../roll-up/aggregate.js';

/** The actual submissions, each once, whichever nodes showed it. */
export interface Baseline {
  /** Successes, reconstructed and undecided submissions, and failed attempts whose blobs landed nevertheless. */
  readonly submissions: bigint;
  /** Submissions whose blobs or bytes are not known. */
  readonly unreadable: bigint;
  readonly blobs: bigint;
  readonly bytes: bigint;
  /** Null if nothing is known about any submission. */
  readonly gasMin: bigint | null;
  /** Null if anything is not known. */
  readonly gasMax: bigint | null;
  /** utia; null as with gas. */
  readonly feeMin: bigint | null;
  readonly feeMax: bigint | null;
  /** Milliseconds from a block's time to the submission that carried it. */
  readonly lagMs: Sketch;
}

/** Adds up the submissions of a chain in a time range, at the prices that reports use. */
export async function getBaseline(
  query: Query,
  unit: Omit<Unit, 'nodeKey'>,
  book: PriceBook,
): Promise<Baseline> {
  const books = new Map([[unit.chain, book]]);
  const { statistics, sums } = await sumUp(query, { ...unit, nodeKey: 0 }, { books }, true);
  return {
    submissions: sums.costed,
    unreadable: sums.unreadable,
    blobs: sums.blobCount,
    bytes: sums.sizeBytes,
    gasMin: boundOf(MEASURES.gasMin, sums),
    gasMax: boundOf(MEASURES.gasMax, sums),
    feeMin: boundOf(MEASURES.feeMin, sums),
    feeMax: boundOf(MEASURES.feeMax, sums),
    lagMs: statistics.reduce((sum, { lagMs }) => sum.merge(lagMs), Sketch.empty()),
  };
}
