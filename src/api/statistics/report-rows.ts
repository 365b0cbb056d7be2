import type { CostNeeds, CostRowFigures } from '../../statistics/read/cost/cost.reader.js';
import type { DistributionColumn } from '../../statistics/read/distributions.query.js';
import type {
  Distribution as DistributionOfRow,
  StatisticsFigures,
  StatisticsNeeds,
} from '../../statistics/read/statistics.reader.js';
import { selectsAny } from '../graphql/selected-fields.js';
import { CostRow } from './cost-row.type.js';
import { Distribution, StatisticsRow } from './statistics-row.type.js';

/** The distributions by the field that shows them. */
const DISTRIBUTIONS: Readonly<Record<string, DistributionColumn>> = {
  inclusionLagMs: 'lag_ms',
  submissionTimeMs: 'submission_ms',
  blobBytes: 'blob_bytes',
};
const GAS_PRICES = ['gasPriceMin', 'gasPriceMean', 'gasPriceMax', 'gasPriceLast'];
const BLOCKS = [
  'blocksProduced',
  'blocksIncluded',
  'transactions',
  'transactionsIncluded',
  'transactionBytes',
  'transactionBytesIncluded',
];
const ENDS = ['pendingAtEnd', 'inclusionFrontierAtEnd'];
const LOSSES = ['holes', 'provenLost', 'likelyLost'];
const UNIT_COSTS = ['feePerBlock', 'feePerTransaction', 'feePerMegabyte'].flatMap((name) => [
  `${name}Min`,
  `${name}Max`,
]);

/** What has to be read for the selected fields. */
export function toStatisticsNeeds(selected: ReadonlySet<string>): StatisticsNeeds {
  return {
    distributions: Object.entries(DISTRIBUTIONS).flatMap(([field, column]) =>
      selected.has(field) ? [column] : [],
    ),
    gasPrices: selectsAny(selected, GAS_PRICES),
    blocks: selectsAny(selected, BLOCKS),
    ends: selectsAny(selected, ENDS),
    losses: selectsAny(selected, LOSSES),
  };
}

const FORECASTS = ['forecastLow', 'forecastExpected', 'forecastHigh'];

/** What has to be read for the selected fields. */
export function toCostNeeds(selected: ReadonlySet<string>): CostNeeds {
  return {
    unitCosts: selectsAny(selected, UNIT_COSTS),
    change: selected.has('changeToPrevious'),
    forecast: selectsAny(selected, FORECASTS),
  };
}

/** The figures with the names of the schema; what has none there does no harm. */
export function toStatisticsRow(figures: StatisticsFigures): StatisticsRow {
  return Object.assign(new StatisticsRow(), figures, {
    time: figures.timeUs * 1000n,
    inclusionLagMs: toDistribution(figures.inclusionLagMs),
    submissionTimeMs: toDistribution(figures.submissionTimeMs),
    blobBytes: toDistribution(figures.blobBytesDistribution),
  });
}

/** As {@link toStatisticsRow}. */
export function toCostRow(figures: CostRowFigures): CostRow {
  return Object.assign(new CostRow(), figures, { time: figures.timeUs * 1000n });
}

function toDistribution(distribution: DistributionOfRow | null): Distribution | null {
  return distribution && Object.assign(new Distribution(), distribution);
}
