import { microsToNanos } from '../../domain/time.js';
import {
  COST_NAMES,
  STATISTICS_NAMES,
  type CostName,
  type Measured,
  type SketchSummary,
  type StatisticsName,
} from '../../statistics/read/measures.js';
import type { RowHead } from '../../statistics/read/report.reader.js';
import { selectsAny } from '../graphql/selected-fields.js';
import type { CostRow } from './cost-row.type.js';
import { Distribution, type StatisticsRow } from './statistics-row.type.js';

/** Unit of fees: millionths of a TIA. */
export const FEE_UNIT = 'utia';

/** The measures that a query selects. */
export function selectedStatistics(selected: ReadonlySet<string>): StatisticsName[] {
  return STATISTICS_NAMES.filter((name) => selectsAny(selected, [name]));
}

/** The measures that a query selects. */
export function selectedCosts(selected: ReadonlySet<string>): CostName[] {
  return COST_NAMES.filter((name) => selectsAny(selected, [name]));
}

const DISTRIBUTIONS = ['inclusionLagMs', 'submissionTimeMs', 'blobBytes'] as const;

/**
 * Turns the figures themselves into the row, under the names of the schema: copying so many would take longer than anything else
 * about a row. Figures without a name in the schema do no harm.
 */
export function toStatisticsRow(figures: RowHead & Partial<Measured<StatisticsName>>): StatisticsRow {
  // Only distributions that were read: three members more, and a row takes twice as long.
  for (const name of DISTRIBUTIONS)
    if (figures[name]) Object.assign(figures, { [name]: toDistribution(figures[name]) });
  return Object.assign(figures, { time: microsToNanos(figures.timeUs) }) as unknown as StatisticsRow;
}

/** As {@link toStatisticsRow}. */
export function toCostRow(figures: RowHead): CostRow {
  return Object.assign(figures, {
    time: microsToNanos(figures.timeUs),
    feeUnit: FEE_UNIT,
  }) as unknown as CostRow;
}

export function toDistribution(summary: SketchSummary | null | undefined): Distribution | null {
  return summary ? Object.assign(new Distribution(), summary) : null;
}
