import type { Query } from '../../../platform/sql.js';
import type { Slot } from '../plan/grouped-rows.js';
import { planReport, type ReportPlan } from '../plan/report-plan.js';
import type { ReportRequest } from '../plan/report-request.js';
import { getLost, type Lost } from './losses.query.js';
import { watchedGroup, watchedKey, watchedRange } from './report-coverage.js';

/** Attempts that were in a list and were never seen, by the bucket of the poll that found them missing. */
export interface LossFigures {
  readonly holes: number;
  readonly provenLost: bigint;
  /** Null if a gap has no estimate: a sum over the other gaps would not be an estimate. */
  readonly likelyLost: bigint | null;
}

/** The losses of a row; null if not known. */
export type RowLosses = { readonly [Name in keyof LossFigures]: LossFigures[Name] | null };

/** The losses of a row for which they cannot be known. */
export const NOT_TOLD: RowLosses = { holes: null, provenLost: null, likelyLost: null };

/**
 * Losses of each slot; null if the report is grouped or filtered by properties that are not known for rows that were not seen.
 */
export async function getLossFigures(query: Query, plan: ReportPlan): Promise<(slot: Slot) => RowLosses> {
  if (plan.isOfSubmissions) return () => NOT_TOLD;
  const by = watchedGroup(plan);
  const lost = await getLost(query, { ...watchedRange(plan), by });
  return ({ bucket, group }) => addUp(lost.get(watchedKey(plan, by, group))?.slice(bucket, bucket + 1) ?? []);
}

/** All losses in the time of a request, whatever its rows are grouped by. */
export async function readTotalLosses(query: Query, request: ReportRequest): Promise<LossFigures> {
  const plan = await planReport(query, { ...request, groupBy: [] });
  if (plan === undefined) return NO_LOSSES;
  const lost = await getLost(query, { ...watchedRange(plan), by: 'ALL' });
  return addUp([...lost.values()].flat());
}

function addUp(lost: readonly Lost[]): LossFigures {
  const isEstimated = lost.every(({ withoutEstimate }) => withoutEstimate === 0);
  return {
    holes: lost.reduce((sum, { holes }) => sum + holes, 0),
    provenLost: lost.reduce((sum, { minLost }) => sum + minLost, 0n),
    likelyLost: isEstimated ? lost.reduce((sum, { likelyLost }) => sum + likelyLost, 0n) : null,
  };
}

export const NO_LOSSES = addUp([]);
