import { Inject, Injectable } from '@nestjs/common';
import { LARGEST_INT64 } from '../../domain/bounds.js';
import type { BatchingPolicy } from '../../domain/cost/batching-policy.js';
import type { Decimal } from '../../domain/cost/decimal.js';
import { measureBlock } from '../../domain/cost/measured-block.js';
import { PriceBook, type Prices } from '../../domain/cost/price-book.js';
import { WhatIf, type WhatIfResult } from '../../domain/cost/what-if.js';
import { Sketch } from '../../domain/statistics/sketch.js';
import { nanosToMicros, type Micros, type Nanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { type Database, type Query, toSource } from '../../platform/sql.js';
import { loadPriceBooks } from '../../projections/prices/prices.js';
import { requireKnownNames } from '../read/known-names.query.js';
import { boundOf } from '../read/measure-rules.js';
import { MEASURES } from '../read/measures.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { ReadFault } from '../read/plan/read-fault.js';
import { sumUp, type Unit } from '../roll-up/aggregate.js';
import { Members } from '../roll-up/members.js';
import { findExtent, getLineageSpans, readBlocks, type BlockRange } from './recorded-blocks.query.js';
import { RangeCount, type RangeFigures } from './range-count.js';
import { noteGaps } from './range-notes.js';

export interface WhatIfRequest {
  readonly chain: string;
  readonly fromNs: Nanos;
  /** Exclusive. */
  readonly toNs: Nanos;
  readonly policies: readonly BatchingPolicy[];
  /** utia per gas, for the whole time; null for the prices of the price book. */
  readonly gasPrice: Decimal | null;
}

/** The actual submissions, each once, whichever nodes showed it. */
interface Baseline {
  /** Successes, reconstructed and undecided submissions, and failed attempts whose blobs landed nevertheless. */
  readonly submissions: bigint;
  /** Submissions whose blobs or bytes are not known. */
  readonly unreadable: bigint;
  readonly blobs: bigint;
  readonly sizeBytes: bigint;
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

export interface WhatIfFigures extends RangeFigures {
  /** Sentences on what the figures leave out. */
  readonly notes: readonly string[];
  readonly baseline: Baseline;
  /** One for each policy, in their order. */
  readonly results: readonly WhatIfResult[];
}

/** Blocks that a report reads at most: 58 days of a block a second. */
const MOST_BLOCKS = 5_000_000;

/** Computes what recorded blocks would have cost, and when they would have been included, under other batching policies. */
@Injectable()
export class WhatIfReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /**
   * @param mostBlocks a limit other than that of the service, for tests
   * @throws UserError for an unknown chain, ReadFault for a range of too many blocks
   */
  getReport(request: WhatIfRequest, mostBlocks = MOST_BLOCKS): Promise<WhatIfFigures> {
    return inSnapshot(this.reads, (query) => readReport(query, request, mostBlocks));
  }
}

async function readReport(query: Query, request: WhatIfRequest, mostBlocks: number): Promise<WhatIfFigures> {
  const { chain } = request;
  await requireKnownNames(toSource(query), { chains: [chain] });
  const nodeKeys = (await Members.load(query)).of({ nodeKey: 0, chain });
  const range = { chain, nodeKeys, fromNs: clamp(request.fromNs), toNs: clamp(request.toNs) };
  const book = (await loadPriceBooks(query)).get(chain) ?? new PriceBook([]);
  const whatIfs = request.policies.map((policy) => new WhatIf(policy, pricesOf(book, request.gasPrice)));
  const count: RangeFigures = await foldBlocks(query, range, whatIfs, mostBlocks);
  const results = whatIfs.map((whatIf) => whatIf.finish());
  const stretch = { chain, fromUs: toMicros(range.fromNs), toUs: toMicros(range.toNs) };
  const notes = noteGaps(request, count, await findExtent(query, range));
  return Object.assign({}, count, { notes, baseline: await getBaseline(query, stretch, book), results });
}

function pricesOf(book: PriceBook, gasPrice: Decimal | null): (us: Micros) => Prices {
  return gasPrice === null ? (us) => book.at(us) : (us) => ({ ...book.at(us), gasPrice });
}

/** Passes every block of the range to every policy, and counts the blocks. */
async function foldBlocks(
  query: Query,
  range: BlockRange,
  whatIfs: readonly WhatIf[],
  mostBlocks: number,
): Promise<RangeCount> {
  const spans = await getLineageSpans(query, range);
  requireFew(
    spans.reduce((sum, { fewest }) => sum + fewest, 0),
    mostBlocks,
  );
  const count = new RangeCount();
  for (const span of spans) {
    for await (const page of readBlocks(query, range, span)) {
      for (const block of page) {
        count.add(block);
        const measured = measureBlock(block);
        for (const whatIf of whatIfs) whatIf.add(measured);
      }
      requireFew(count.blocks, mostBlocks);
    }
    count.endHistory();
    for (const whatIf of whatIfs) whatIf.endHistory();
  }
  return count;
}

function requireFew(blocks: number, most: number): void {
  if (blocks <= most) return;
  throw new ReadFault(
    'TOO_EXPENSIVE',
    `The range has at least ${blocks} blocks; the limit is ${most}. Request a shorter range.`,
  );
}

/** Nothing is recorded before 1970 or beyond what 64 bits hold, in the year 2262. */
function clamp(ns: Nanos): Nanos {
  return ns < 0n ? 0n : ns > LARGEST_INT64 ? LARGEST_INT64 : ns;
}

/** Rounds up to the next microsecond: columns of microseconds then compare as they would with all digits. */
function toMicros(ns: Nanos): Micros {
  return nanosToMicros(ns + 999n);
}

/** Adds up the submissions of a chain in a time range, at the prices that reports use. */
async function getBaseline(query: Query, unit: Omit<Unit, 'nodeKey'>, book: PriceBook): Promise<Baseline> {
  const books = new Map([[unit.chain, book]]);
  const { statistics, sums } = await sumUp(query, { ...unit, nodeKey: 0 }, { books }, true);
  return {
    submissions: sums.costed,
    unreadable: sums.unreadable,
    blobs: sums.blobCount,
    sizeBytes: sums.sizeBytes,
    gasMin: boundOf(MEASURES.gasMin, sums),
    gasMax: boundOf(MEASURES.gasMax, sums),
    feeMin: boundOf(MEASURES.feeMin, sums),
    feeMax: boundOf(MEASURES.feeMax, sums),
    lagMs: statistics.reduce((sum, { lagMs }) => sum.merge(lagMs), Sketch.empty()),
  };
}
