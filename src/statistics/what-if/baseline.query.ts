import type { PriceBook } from '../../domain/cost/price-book.js';
import { Sketch } from '../../domain/statistics/sketch.js';
import type { Query } from '../../platform/sql.js';
import { aggregateUnits, type Unit } from '../roll-up/aggregate.js';

/** What was really submitted; each submission once, whichever nodes showed it. */
export interface Baseline {
  /** Successes, reconstructed ones, and failed attempts whose blobs landed all the same. */
  readonly submissions: bigint;
  /** Of them, those whose blobs or bytes are not known. */
  readonly unreadable: bigint;
  readonly blobs: bigint;
  readonly bytes: bigint;
  /** Null where nothing is known. */
  readonly gasMin: bigint | null;
  /** Null where something is not known. */
  readonly gasMax: bigint | null;
  /** utia; null as with gas. */
  readonly feeMin: bigint | null;
  readonly feeMax: bigint | null;
  /** Milliseconds from a block's time to the submission that carried it. */
  readonly lagMs: Sketch;
}

/** Adds up the submissions of a chain in a stretch of time, at the prices that hold for reports. */
export async function getBaseline(
  query: Query,
  unit: Omit<Unit, 'nodeKey'>,
  book: PriceBook,
): Promise<Baseline> {
  const books = new Map([[unit.chain, book]]);
  const [statistics = []] = await aggregateUnits(query, [{ ...unit, nodeKey: 0 }], { books });
  const sumOf = (name: SummedName): bigint => statistics.reduce((sum, one) => sum + one[name], 0n);
  const costed = sumOf('costed');
  const bounds = (
    least: SummedName,
    most: SummedName,
    unknown: SummedName,
  ): [bigint | null, bigint | null] => {
    const missing = sumOf(unknown);
    return [costed === missing ? null : sumOf(least), costed === 0n || missing > 0n ? null : sumOf(most)];
  };
  const [gasMin, gasMax] = bounds('gasMin', 'gasMax', 'gasUnknown');
  const [feeMin, feeMax] = bounds('feeMin', 'feeMax', 'feeUnknown');
  return {
    submissions: costed,
    unreadable: sumOf('unreadable'),
    blobs: sumOf('blobCount'),
    bytes: sumOf('sizeBytes'),
    gasMin,
    gasMax,
    feeMin,
    feeMax,
    lagMs: statistics.reduce((sum, { lagMs }) => sum.merge(lagMs), Sketch.empty()),
  };
}

type SummedName =
  | 'costed'
  | 'unreadable'
  | 'blobCount'
  | 'sizeBytes'
  | 'gasMin'
  | 'gasMax'
  | 'gasUnknown'
  | 'feeMin'
  | 'feeMax'
  | 'feeUnknown';
