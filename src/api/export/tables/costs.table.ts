import type { Clock } from '../../../platform/clock.js';
import { COST_NAMES, MEASURES, type CostName } from '../../../statistics/read/measures.js';
import type { ReportRow } from '../../../statistics/read/report.reader.js';
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

const KINDS: Readonly<Record<(typeof MEASURES)[CostName]['unit'], ColumnKind>> = {
  COUNT: 'INT64',
  GAS: 'INT64',
  UTIA: 'DECIMAL',
  FIAT: 'DECIMAL',
  CURRENCY: 'TEXT',
  SHARE: 'DOUBLE',
  RATIO: 'DOUBLE',
};

const COLUMNS: readonly MadeColumn<ReportRow<CostName>>[] = [
  ...GROUP_COLUMNS,
  ...COST_NAMES.map((name) => {
    const { unit } = MEASURES[name];
    return propertyColumn<ReportRow<CostName>>(name, KINDS[unit], unit === 'UTIA' ? '_utia' : '');
  }),
];

/** Exports the cost of posting over time. */
export function costsTable({ source, reports }: ExportReaders, clock: Clock): ExportTable {
  return {
    checkReport: (values: ParameterValues<typeof COST_PARAMETERS>) => void toRequest(values, clock),
    open: async ({ pricesAsOf, ...values }: ParameterValues<typeof COST_PARAMETERS>, page) => {
      const request = { ...toRequest(values, clock), pricesAsOfUs: toMicros(pricesAsOf) };
      const flags = await flagColumns(source, values, request);
      const rows = await reports.readCosts(request, COST_NAMES);
      return openReport('costs', rows, [...COLUMNS, ...flags], page);
    },
  };
}
