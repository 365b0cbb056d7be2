import { microsToNanos, type Nanos } from '../../domain/time.js';
import type { CauseCount } from '../../domain/interval/failures-by-cause.js';
import type { IntervalFigures } from '../../statistics/interval/interval.reader.js';
import {
  IntervalBlocks,
  IntervalCause,
  IntervalClaim,
  IntervalReport,
  IntervalWaits,
} from './interval.type.js';

interface IntervalQuestion {
  readonly node: string | null;
  readonly chain: string | null;
  readonly from: Nanos;
  readonly to: Nanos;
}

export function toIntervalReport(question: IntervalQuestion, figures: IntervalFigures): IntervalReport {
  const { causes, basis, inclusion, waits, claims, longestWithoutSuccessMs, ...rest } = figures;
  return Object.assign(new IntervalReport(), {
    ...question,
    ...rest,
    feeUnit: 'utia',
    importedFees: basis.imported,
    recordedFees: basis.recorded,
    pricedFees: basis.priced,
    unknownFees: basis.unknown,
    longestWithoutSuccessMs: toWhole(longestWithoutSuccessMs),
    causes: causes.map(toCause),
    blocks: inclusion && toBlocks(inclusion),
    waits: waits && Object.assign(new IntervalWaits(), waits),
    claims: claims.map(({ falseMinMs, falseMaxMs, ...rest }) =>
      Object.assign(new IntervalClaim(), {
        ...rest,
        falseMinMs: BigInt(falseMinMs),
        falseMaxMs: BigInt(falseMaxMs),
      }),
    ),
  });
}

export function toCause({ firstUs, lastUs, ...rest }: CauseCount): IntervalCause {
  return Object.assign(new IntervalCause(), {
    ...rest,
    first: microsToNanos(firstUs),
    last: microsToNanos(lastUs),
  });
}

function toBlocks(inclusion: NonNullable<IntervalFigures['inclusion']>): IntervalBlocks {
  const { blocksProduced, blocksIncluded, blocksDelayed, mostPendingBlocks, ...rest } = inclusion;
  return Object.assign(new IntervalBlocks(), {
    ...rest,
    produced: blocksProduced,
    included: blocksIncluded,
    delayed: blocksDelayed,
    mostPending: mostPendingBlocks,
  });
}

function toWhole(ms: number | null): bigint | null {
  return ms === null ? null : BigInt(Math.trunc(ms));
}
