import { microsToNanos } from '../../domain/time.js';
import type { CostNeeds, CostRowFigures } from '../../statistics/read/cost/cost.reader.js';
import type { SketchSummary, DistributionColumn } from '../../statistics/read/distributions.query.js';
import { COST_FIGURES, STATISTICS_ON_DEMAND } from '../../statistics/read/figures.js';
import { ALL_SUBMISSION_FIGURES } from '../../statistics/read/submission-figures.js';
import type { StatisticsFigures, StatisticsNeeds } from '../../statistics/read/statistics.reader.js';
import { selectsAny } from '../graphql/selected-fields.js';
import { CostRow } from './cost-row.type.js';
import { Distribution, StatisticsRow } from './statistics-row.type.js';

/** Unit of fees: millionths of a TIA. */
export const FEE_UNIT = 'utia';

/** Distributions, by the name of their field. */
const DISTRIBUTIONS: Readonly<Record<string, DistributionColumn>> = {
  inclusionLagMs: 'lag_ms',
  submissionTimeMs: 'submission_ms',
  blobBytes: 'blob_bytes',
};

/** Maps the selected fields to what has to be read. */
export function toStatisticsNeeds(selected: ReadonlySet<string>): StatisticsNeeds {
  const onDemand = Object.entries(STATISTICS_ON_DEMAND);
  return {
    ...Object.fromEntries(onDemand.map(([need, names]) => [need, selectsAny(selected, names)])),
    submissions: ALL_SUBMISSION_FIGURES.filter((name) => selectsAny(selected, [name])),
    distributions: Object.entries(DISTRIBUTIONS).flatMap(([field, column]) =>
      selected.has(field) ? [column] : [],
    ),
  };
}

/** Maps the selected fields to what has to be read. */
export function toCostNeeds(selected: ReadonlySet<string>): CostNeeds {
  const wanted = Object.entries(COST_FIGURES).filter(([name]) => selectsAny(selected, [name]));
  const needs = wanted.flatMap(([, figure]) => ('need' in figure ? [[figure.need, true]] : []));
  return Object.fromEntries(needs);
}

/**
 * Turns the figures themselves into the row, under the names of the schema: copying so many would take longer than anything else
 * about a row. Figures without a name in the schema do no harm.
 */
export function toStatisticsRow(figures: StatisticsFigures): StatisticsRow {
  return Object.assign(figures, {
    time: microsToNanos(figures.timeUs),
    inclusionLagMs: toDistribution(figures.inclusionLagMs),
    submissionTimeMs: toDistribution(figures.submissionTimeMs),
    blobBytes: toDistribution(figures.blobBytesDistribution),
  }) as unknown as StatisticsRow;
}

/** As {@link toStatisticsRow}, but a copy. */
export function toCostRow(figures: CostRowFigures): CostRow {
  return Object.assign(new CostRow(), figures, { time: microsToNanos(figures.timeUs), feeUnit: FEE_UNIT });
}

export function toDistribution(distribution: SketchSummary | null): Distribution | null {
  return distribution && Object.assign(new Distribution(), distribution);
}
