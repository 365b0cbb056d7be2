import { microsToNanos } from '../../domain/time.js';
import type { CostNeeds, CostRowFigures } from '../../statistics/read/cost/cost.reader.js';
import type {
  Distribution as DistributionOfRow,
  DistributionColumn,
} from '../../statistics/read/distributions.query.js';
import { COST_FIGURES, STATISTICS_ON_DEMAND } from '../../statistics/read/figures.js';
import { ALL_SUBMISSION_FIGURES } from '../../statistics/read/submission-figures.js';
import type { StatisticsFigures, StatisticsNeeds } from '../../statistics/read/statistics.reader.js';
import { selectsAny } from '../graphql/selected-fields.js';
import { CostRow } from './cost-row.type.js';
import { Distribution, StatisticsRow } from './statistics-row.type.js';

/** The unit of fees: millionths of a TIA. */
export const FEE_UNIT = 'utia';

/** The distributions by the field that shows them. */
const DISTRIBUTIONS: Readonly<Record<string, DistributionColumn>> = {
  inclusionLagMs: 'lag_ms',
  submissionTimeMs: 'submission_ms',
  blobBytes: 'blob_bytes',
};

/** What has to be read for the selected fields. */
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

/** What has to be read for the selected fields. */
export function toCostNeeds(selected: ReadonlySet<string>): CostNeeds {
  const wanted = Object.entries(COST_FIGURES).filter(([name]) => selectsAny(selected, [name]));
  const needs = wanted.flatMap(([, figure]) => ('need' in figure ? [[figure.need, true]] : []));
  return Object.fromEntries(needs);
}

/**
 * The figures with the names of the schema; what has none there does no harm. They are so many that copying them would take
 * longer than anything else about a row, so they become the row.
 */
export function toStatisticsRow(figures: StatisticsFigures): StatisticsRow {
  return Object.assign(figures, {
    time: microsToNanos(figures.timeUs),
    inclusionLagMs: toDistribution(figures.inclusionLagMs),
    submissionTimeMs: toDistribution(figures.submissionTimeMs),
    blobBytes: toDistribution(figures.blobBytesDistribution),
  }) as unknown as StatisticsRow;
}

/** As {@link toStatisticsRow}. */
export function toCostRow(figures: CostRowFigures): CostRow {
  return Object.assign(new CostRow(), figures, { time: microsToNanos(figures.timeUs), feeUnit: FEE_UNIT });
}

export function toDistribution(distribution: DistributionOfRow | null): Distribution | null {
  return distribution && Object.assign(new Distribution(), distribution);
}
