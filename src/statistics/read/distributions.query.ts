import { Sketch } from '../../domain/statistics/sketch.js';
import type { Query } from '../../platform/sql.js';
import { columnNameOf } from '../../tables/columns.js';
import { readPages } from '../roll-up/aggregation/read-cursor.js';
import type { STATISTIC_SKETCHES } from '../roll-up/statistic.js';
import type { SketchSummary } from './measures.js';
import { slotColumns, slotOf, type SlotRow } from './plan/grouped-rows.js';
import { ReadFault } from './plan/read-fault.js';
import type { ReportPlan } from './plan/report-plan.js';
import { storedSubmissions } from './plan/stored-rows.js';

/** The distribution of a sketch; null without values. */
export function toDistribution(sketch: Sketch | undefined): SketchSummary | null {
  if (sketch === undefined || sketch.max === null) return null;
  const at = (share: number): number => sketch.percentile(share) ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sketch.max, count: BigInt(sketch.count) };
}

/** Sketches that one report merges at most: some seconds of work. */
const MOST_SKETCHES = 1_000_000;

/**
 * Distributions by slot, merged from the sketches of its rows; no entry for a slot without values.
 * @param query of one connection inside a transaction: rows are fetched through a cursor
 * @throws ReadFault TOO_EXPENSIVE for too many sketches
 */
export async function getDistributions(
  query: Query,
  plan: ReportPlan,
  property: (typeof STATISTIC_SKETCHES)[number],
): Promise<ReadonlyMap<string, Sketch>> {
  const column = columnNameOf(property);
  const stored = storedSubmissions(plan);
  const sql = `SELECT ${slotColumns(plan, stored).select}, s.${column} AS sketch ${stored.from} WHERE s.${column} IS NOT NULL`;
  const merged = new Map<string, Sketch>();
  let read = 0;
  await readPages(query, { sql, parameters: stored.parameters }, (found) => {
    if (++read > MOST_SKETCHES)
      throw new ReadFault(
        'TOO_EXPENSIVE',
        `A query can merge at most ${MOST_SKETCHES} stored distributions: request a shorter time, or fewer nodes and chains.`,
      );
    const row = found as SlotRow & { readonly sketch: string };
    const { name } = slotOf(row);
    const sketch = merged.get(name) ?? Sketch.empty();
    merged.set(name, sketch.mergeEncoded(Buffer.from(row.sketch, 'hex')));
  });
  return merged;
}
