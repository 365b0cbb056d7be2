import { Inject, Injectable } from '@nestjs/common';
import type { Decimal } from '../../domain/cost/decimal.js';
import type { Claimed } from '../../domain/interval/claimed.js';
import type { CauseCount } from '../../domain/interval/failures-by-cause.js';
import { POLLED_WITHIN_MS } from '../../domain/health/unwatched.js';
import { millisToMicros, type Micros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Query, Database } from '../../platform/sql.js';
import { loadPriceBooks } from '../../projections/prices/prices.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { amountOf } from '../read/measure-rules.js';
import { timesParameter } from '../read/plan/stored-rows.js';
import { isDecidedTo } from '../read/plan/uncounted.query.js';
import { getCoverageOf } from '../read/coverage/coverage.query.js';
import { sumUp } from '../roll-up/aggregate.js';
import type { IntervalRequest } from './interval-request.js';
import { getBlockFigures, type InclusionTimes } from './interval-blocks.query.js';
import { getFailures, getSilence, requireFewRows } from './interval-rows.query.js';
import { getClaimed, getLostRows, type LostRows } from './interval-watch.query.js';
import { ReadFault } from '../read/plan/read-fault.js';

/** The figures of an interval; null means not known. Fees are in utia, times in milliseconds. */
export interface IntervalFigures extends LostRows, InclusionTimes {
  readonly attempts: bigint | null;
  readonly successes: bigint | null;
  readonly failures: bigint | null;
  readonly causes: readonly CauseCount[];
  readonly sizeBytes: bigint | null;
  readonly feeMin: Decimal | null;
  readonly feeMax: Decimal | null;
  readonly failedAttempts: bigint | null;
  readonly failedFeeMax: Decimal | null;
  readonly basis: Readonly<Record<'imported' | 'recorded' | 'priced' | 'unknown', bigint>>;
  readonly longestWithoutSuccessMs: number | null;
  /** 0 to 1; 0 if not `counted`. */
  readonly coverage: number;
  /**
   * Whether everything recorded in the interval is read and decided. If not, the figures cover a part and have no upper bounds.
   */
  readonly counted: boolean;
  readonly claims: readonly Claimed[];
}

export const LONGEST_INTERVAL_US: Micros = 31n * 86_400_000_000n;

/** Reads the figures of an interval of a node or chain from its rows, exact to the microsecond. */
@Injectable()
export class IntervalReader {
  constructor(@Inject(ReadDatabase) private readonly reads: Database) {}

  /** @throws ReadFault BAD_INPUT if `from` is not before `to`, TOO_EXPENSIVE for more than 31 days or too many rows */
  getFigures(request: IntervalRequest): Promise<IntervalFigures> {
    if (request.fromUs >= request.toUs) throw new ReadFault('BAD_INPUT', '`from` must be before `to`.');
    if (request.toUs - request.fromUs > LONGEST_INTERVAL_US)
      throw new ReadFault(
        'TOO_EXPENSIVE',
        'An interval can have at most 31 days: use `statistics` for longer times.',
      );
    return inSnapshot(this.reads, (query) => readFigures(query, request));
  }
}

async function readFigures(query: Query, request: IntervalRequest): Promise<IntervalFigures> {
  await requireFewRows(query, request);
  const counted = await isDecidedTo(query, request);
  const coverage = counted ? await readCoverage(query, request) : 0;
  const isWatched = coverage > 0;
  const submissions = await readSubmissions(query, request, isWatched);
  const lost = await getLostRows(query, request);
  const figures = {
    ...submissions,
    ...lost,
    // Unless everything is proven to have been seen, the absence of gaps proves nothing.
    lostMax: lost.holes > 0n || (counted && (await sawAll(query, request, coverage))) ? lost.lostMax : null,
    causes: await getFailures(query, request),
    longestWithoutSuccessMs: submissions.attempts === null ? null : await getSilence(query, request),
    ...(await getBlockFigures(query, request)),
    claims: await getClaimed(query, request),
    coverage,
    counted,
  };
  return counted ? figures : { ...figures, ...UNBOUNDED };
}

/** Figures that further rows could increase or end, if not everything is counted. */
const UNBOUNDED = {
  feeMax: null,
  failedFeeMax: null,
  lostMax: null,
  longestWithoutSuccessMs: null,
  inclusion: null,
  waits: null,
} satisfies Partial<IntervalFigures>;

async function readCoverage(query: Query, request: IntervalRequest): Promise<number> {
  const { chain, nodes } = request;
  const nodeIds = nodes.map(({ id }) => id);
  const owner =
    chain === null ? ({ nodes: nodeIds, by: 'NODE' } as const) : ({ chains: [chain], by: 'CHAIN' } as const);
  const [share = 0] = (await getCoverageOf(query, request, owner)).values();
  return share;
}

/**
 * Whether everything was seen, up to the last recorded polls: while polling continues, polls of the last minute may not be
 * recorded yet.
 */
async function sawAll(query: Query, request: IntervalRequest, coverage: number): Promise<boolean> {
  if (coverage === 1) return true;
  const { nodes, fromUs, toUs, nowUs } = request;
  const [row] = await query<{ polledUs: Micros | null }>(
    `SELECT min(looked_at) AS "polledUs" FROM coverage_fold
      WHERE node = ANY ($1::text[]) AND looked_at > ($2::timestamptz[])[1]`,
    [nodes.map(({ id }) => id), timesParameter([nowUs - millisToMicros(POLLED_WITHIN_MS)])],
  );
  const polledUs = row?.polledUs ?? fromUs;
  if (polledUs <= fromUs || polledUs >= toUs) return false;
  return (await readCoverage(query, { ...request, toUs: polledUs })) === 1;
}

type IntervalSubmissions = Omit<
  IntervalFigures,
  | 'causes'
  | 'longestWithoutSuccessMs'
  | 'coverage'
  | 'counted'
  | 'claims'
  | keyof LostRows
  | keyof InclusionTimes
>;

/** Uses the rules of the statistics, so that both agree on every hour. */
async function readSubmissions(
  query: Query,
  { nodes, chain, fromUs, toUs, knownAt }: IntervalRequest,
  isWatched: boolean,
): Promise<IntervalSubmissions> {
  const owner = chain === null ? { nodeKey: nodes[0]?.key ?? 0, chain: '' } : { nodeKey: 0, chain };
  const books = await loadPriceBooks(query, { knownAt });
  const { statistics, sums } = await sumUp(query, { ...owner, fromUs, toUs }, { books, knownAt });
  const successes = statistics.reduce((sum, row) => (row.status === 0 ? sum + row.attempts : sum), 0n);
  const ifKnown = <T>(value: T): T | null => (isWatched || statistics.length > 0 ? value : null);
  const failedFeeMax = ifKnown(amountOf('failedFeeMax', sums));
  return {
    attempts: ifKnown(sums.attempts),
    successes: ifKnown(successes),
    failures: ifKnown(sums.attempts - successes),
    sizeBytes: ifKnown(sums.sizeBytes),
    feeMin: ifKnown(amountOf('feeMin', sums)),
    // If all attempts failed, 0 would mean that they cost nothing.
    feeMax: sums.costed === 0n && failedFeeMax === null ? null : ifKnown(amountOf('feeMax', sums)),
    failedAttempts: ifKnown(sums.failed),
    failedFeeMax,
    basis: {
      imported: sums.imported,
      recorded: sums.recorded,
      priced: sums.priced,
      unknown: sums.feeUnknown,
    },
  };
}
