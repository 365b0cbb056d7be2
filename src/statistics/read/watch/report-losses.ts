import type { Query } from '../../../platform/sql.js';
import type { Slot } from '../plan/grouped-rows.js';
import { getLost } from './losses.query.js';
import { watchedGroup, watchedKey, watchedRange } from './report-coverage.js';
import type { ReportPlan } from '../plan/report-plan.js';

/** Attempts that were in a list and were never seen, by the bucket of the look that found them missing. */
export interface LossFigures {
  readonly holes: number | null;
  readonly provenLost: bigint | null;
  readonly likelyLost: bigint | null;
}

const NOT_TOLD: LossFigures = { holes: null, provenLost: null, likelyLost: null };

/** Losses of each slot; null where rows are told apart by what nobody knows of a row that was not seen. */
export async function getLossFigures(query: Query, plan: ReportPlan): Promise<(slot: Slot) => LossFigures> {
  if (plan.isOfSubmissions) return () => NOT_TOLD;
  const by = watchedGroup(plan);
  const lost = await getLost(query, { ...watchedRange(plan), by });
  return ({ bucket, group }) => {
    const found = lost.get(watchedKey(plan, by, group))?.[bucket];
    if (found === undefined) return { holes: 0, provenLost: 0n, likelyLost: 0n };
    const { holes, minLost, likelyLost, withoutEstimate } = found;
    // A sum over holes of which one has no estimate would be none.
    return { holes, provenLost: minLost, likelyLost: withoutEstimate > 0 ? null : likelyLost };
  };
}
