import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../../domain/submissions/submission-codes.js';
import type { Clock } from '../../../platform/clock.js';
import { type LazyRows, nextTimeSlice } from '../../../platform/time-slices.js';
import type { Database } from '../../../platform/sql.js';
import {
  STORED_BUCKETS,
  REPORT_GROUPS,
  type ReportRequest,
} from '../../../statistics/read/plan/report-request.js';
import {
  COST_NAMES,
  MEASURES,
  STATISTICS_NAMES,
  type Measured,
  type MeasureName,
  type SketchSummary,
  type Unit,
} from '../../../statistics/read/measures.js';
import type { RowHead } from '../../../statistics/read/report.reader.js';
import { columnNameOf } from '../../../tables/columns.js';
import { compareRowKeys, groupOrder, type ReportRowKey } from '../../../statistics/read/plan/report-order.js';
import { badUserInput } from '../../errors.js';
import { getNodesWithOthers, hasOtherNamespaces } from '../../statistics/other-namespaces.query.js';
import { toReportRequest } from '../../statistics/report-args.type.js';
import { type CellValue, type ColumnKind, type MadeColumn, propertyColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { type ExportPageRequest, type ExportTable, type OpenedRows, readCursor } from '../export-table.js';
import { encodeCursor, type CursorKey } from '../../graphql/keyed-list.js';
import { toMicros } from '../../graphql/scalars.js';
import { instant, text, texts, type ParameterValues, word, words } from '../parameters.js';
import { TRAVEL_PARAMETERS } from './travel.js';

export const STATISTICS_PARAMETERS = {
  bucket: { ...word(STORED_BUCKETS, 'how much time a row covers; needed'), isNeeded: true as const },
  groupBy: words(REPORT_GROUPS, 'grouping of the rows'),
  nodes: texts('counts what these nodes showed'),
  chains: texts('ids of chains'),
  namespaces: texts('58 hex digits each, or other: all namespaces beyond the first 100 of a node'),
  kinds: words(SUBMISSION_KINDS, 'kinds'),
  statuses: words(SUBMISSION_STATUSES, 'statuses'),
  from: instant('inclusive, rounded down to the quarter hour'),
  to: instant('exclusive, rounded up to the quarter hour'),
  timeZone: text("IANA name of the time zone for days; the chain's own if left out"),
  ...TRAVEL_PARAMETERS,
};

export const COST_PARAMETERS = {
  ...STATISTICS_PARAMETERS,
  pricesAsOf: instant('at the prices of this time throughout'),
};

const KINDS: Readonly<Record<Unit, ColumnKind>> = {
  COUNT: 'INT64',
  GAPS: 'INT64',
  GAS: 'INT64',
  UTIA: 'DECIMAL',
  PRICE: 'DECIMAL',
  FIAT: 'DECIMAL',
  CURRENCY: 'TEXT',
  RATIO: 'DOUBLE',
  SHARE: 'DOUBLE',
  DISTRIBUTION: 'DOUBLE',
};

type Row = RowHead & Partial<Measured<MeasureName>>;

/** The column of a measure; five columns of a distribution. */
function columnsOf(name: MeasureName): MadeColumn<Row>[] {
  const { unit } = MEASURES[name];
  if (unit !== 'DISTRIBUTION')
    return [propertyColumn<Row>(name, KINDS[unit], unit === 'UTIA' || unit === 'PRICE' ? '_utia' : '')];
  return (['p50', 'p90', 'p99', 'max', 'count'] as const).map((part) => ({
    name: `${columnNameOf(name)}_${part}`,
    kind: part === 'count' ? 'INT64' : 'DOUBLE',
    read: (row) => (row[name] as SketchSummary | null)?.[part] ?? null,
  }));
}

/**
 * The columns of a report: time, group and coverage of each row, the measures, the state of the row, and its dates. To be called
 * before the measures are read.
 */
async function findColumns(
  source: Database,
  names: readonly MeasureName[],
  { filter, groupBy }: ReportRequest,
): Promise<MadeColumn<Row>[]> {
  const others = await getNodesWithOthers(source, filter);
  return [
    { name: 'time', kind: 'TIME', read: (row) => row.timeUs },
    { name: 'node', kind: 'TEXT', read: (row) => row.node },
    { name: 'chain', kind: 'TEXT', read: (row) => row.chain },
    { name: 'namespace', kind: 'WORD', read: (row) => row.namespace },
    { name: 'kind', kind: 'WORD', read: (row) => row.kind },
    { name: 'status', kind: 'WORD', read: (row) => row.status },
    { name: 'coverage', kind: 'DOUBLE', read: (row) => row.coverage },
    ...names.flatMap(columnsOf),
    { name: 'decided', kind: 'BOOL', read: ({ decided }) => decided },
    { name: 'other_namespaces', kind: 'BOOL', read: (row) => hasOtherNamespaces(others, groupBy, row) },
    { name: 'day', kind: 'DATE', read: ({ day }) => day },
    { name: 'month', kind: 'DATE', read: ({ month }) => month },
    { name: 'counted', kind: 'BOOL', read: ({ counted }) => counted },
  ];
}

export function statisticsTable({ source, reports }: ExportReaders, clock: Clock): ExportTable {
  return {
    checkReport: (values: StatisticsValues) => void toRequest(values, clock),
    open: async (values: StatisticsValues, page) => {
      const request = toRequest(values, clock);
      const columns = await findColumns(source, STATISTICS_NAMES, request);
      return openReport('statistics', await reports.read(request, STATISTICS_NAMES), columns, page);
    },
  };
}

export function costsTable({ source, reports }: ExportReaders, clock: Clock): ExportTable {
  return {
    checkReport: (values: StatisticsValues) => void toRequest(values, clock),
    open: async ({ pricesAsOf, ...values }: ParameterValues<typeof COST_PARAMETERS>, page) => {
      const request = { ...toRequest(values, clock), pricesAsOfUs: toMicros(pricesAsOf) };
      const columns = await findColumns(source, COST_NAMES, request);
      return openReport('costs', await reports.readCosts(request, COST_NAMES), columns, page);
    },
  };
}

type StatisticsValues = ParameterValues<typeof STATISTICS_PARAMETERS>;

/** @throws ApiError BAD_USER_INPUT without a bucket */
function toRequest(values: StatisticsValues, clock: Clock): ReportRequest {
  const { bucket, nodes, chains, namespaces, kinds, statuses } = values;
  if (bucket === undefined) throw badUserInput(`Give \`bucket\`: ${STORED_BUCKETS.join(', ')}.`);
  const filter = { nodes, chains, namespaces, kinds, statuses };
  return toReportRequest({ ...values, bucket, filter }, clock);
}

const ROWS_AT_ONCE = 100;

/** The key in the cursors of reports. */
const PLACE_KEY = [
  { sql: 'time', type: 'bigint' as const },
  ...REPORT_GROUPS.map(() => ({ sql: 'group', type: 'text' as const })),
];

/** Opens a page of a report. A cursor names the last row of the previous page, which may no longer exist. */
function openReport(
  name: string,
  rows: LazyRows<Row>,
  columns: readonly MadeColumn<Row>[],
  { limit, cursor, question }: ExportPageRequest,
): OpenedRows {
  const list = `${name} ${question}`;
  const begin = cursor === undefined ? 0 : findBegin(rows, toPlace(readCursor(list, PLACE_KEY, cursor)));
  const end = Math.min(rows.length, begin + (limit ?? rows.length));
  const next = end < rows.length ? encodeCursor(list, placeOf(rows.at(end - 1))) : undefined;
  return { by: 'US', next, columns, batches: readBatches(rows, columns, begin, end) };
}

/** Binary search, because each row is computed whenever it is accessed. */
function findBegin(rows: LazyRows<RowHead>, place: ReportRowKey): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const row = rows.at(middle);
    if (compareRowKeys({ timeUs: row.timeUs, group: groupOrder(row) }, place) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function placeOf(row: RowHead): string[] {
  return [String(row.timeUs), ...groupOrder(row)];
}

function toPlace([time = '0', ...group]: CursorKey): ReportRowKey {
  return { timeUs: BigInt(time), group };
}

async function* readBatches(
  rows: LazyRows<Row>,
  columns: readonly MadeColumn<Row>[],
  begin: number,
  end: number,
): AsyncGenerator<CellValue[][]> {
  for (let at = begin; at < end || at === begin; at += ROWS_AT_ONCE) {
    const batch: CellValue[][] = [];
    for (let index = at; index < Math.min(at + ROWS_AT_ONCE, end); index += 1) {
      const row = rows.at(index);
      batch.push(columns.map(({ read }) => read(row)));
    }
    yield batch;
    await nextTimeSlice();
  }
}
