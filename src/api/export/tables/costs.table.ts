import type { Clock } from '../../../platform/clock.js';
import type { CostRowFigures } from '../../../statistics/read/cost/cost.reader.js';
import { COST_FIGURES, type CostFigureName } from '../../../statistics/read/figures.js';
import { type ColumnKind, type MadeColumn, propertyColumn } from '../export-column.js';
import { toMicros } from '../../graphql/scalars.js';
import type { ExportReaders } from '../export-readers.js';
import type { ExportTable } from '../export-table.js';
import { instant, type ParameterValues } from '../parameters.js';
import { flagColumns, GROUP_COLUMNS, openReport, REPORT_PARAMETERS, toRequest } from './report.table.js';

/** The parameters besides `limit` and `cursor`. */
export const COST_PARAMETERS = {
  ...REPORT_PARAMETERS,
  pricesAsOf: instant('at the prices of this time throughout'),
};

const ALL = { unitCosts: true, change: true, forecast: true };

type FigureUnit = (typeof COST_FIGURES)[CostFigureName]['unit'];

const KINDS: Readonly<Record<FigureUnit, ColumnKind>> = {
  COUNT: 'INT64',
  GAS: 'INT64',
  UTIA: 'DECIMAL',
  FIAT: 'DECIMAL',
  CURRENCY: 'TEXT',
  SHARE: 'DOUBLE',
  PART: 'DOUBLE',
};

const COLUMNS: readonly MadeColumn<CostRowFigures>[] = [
  ...GROUP_COLUMNS,
  ...(Object.keys(COST_FIGURES) as CostFigureName[]).map((name) => {
    const { unit } = COST_FIGURES[name];
    return propertyColumn<CostRowFigures>(name, KINDS[unit], unit === 'UTIA' ? '_utia' : '');
  }),
];

/** Exports the cost of posting over time. */
export function costsTable({ source, costs }: ExportReaders, clock: Clock): ExportTable {
  return {
    checkReport: (values: ParameterValues<typeof COST_PARAMETERS>) => void toRequest(values, clock),
    open: async ({ pricesAsOf, ...values }: ParameterValues<typeof COST_PARAMETERS>, page) => {
      const request = { ...toRequest(values, clock), pricesAsOfUs: toMicros(pricesAsOf) };
      const flags = await flagColumns(source, values, request);
      const rows = await costs.getCosts(request, ALL);
      return openReport('costs', rows, [...COLUMNS, ...flags], page);
    },
  };
}
