import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../../domain/submissions/submission-codes.js';
import type { Clock } from '../../../platform/clock.js';
import { type LazyRows, nextTimeSlice } from '../../../platform/time-slices.js';
import type { Database } from '../../../platform/sql.js';
import {
  STORED_BUCKETS,
  REPORT_GROUPS,
  type ReportFilter,
  type ReportRequest,
} from '../../../statistics/read/plan/report-request.js';
import type { RowHead } from '../../../statistics/read/report.reader.js';
import { compareRowKeys, groupOrder, type ReportRowKey } from '../../../statistics/read/plan/report-order.js';
import { badUserInput } from '../../errors.js';
import { getNodesWithOthers, hasOtherNamespaces } from '../../statistics/other-namespaces.query.js';
import { toReportRequest } from '../../statistics/report-args.type.js';
import type { CellValue, MadeColumn } from '../export-column.js';
import { type OpenedRows, type ExportPageRequest, readCursor } from '../export-table.js';
import { encodeCursor, type CursorKey } from '../../graphql/keyed-list.js';
import { instant, text, texts, type ParameterValues, word, words } from '../parameters.js';
import { TRAVEL_PARAMETERS } from './travel.js';

/** The parameters of both reports. */
export const REPORT_PARAMETERS = {
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

/** The columns before the figures. */
export const GROUP_COLUMNS: readonly MadeColumn<RowHead>[] = [
  { name: 'time', kind: 'TIME', read: (row) => row.timeUs },
  { name: 'node', kind: 'TEXT', read: (row) => row.node },
  { name: 'chain', kind: 'TEXT', read: (row) => row.chain },
  { name: 'namespace', kind: 'WORD', read: (row) => row.namespace },
  { name: 'kind', kind: 'WORD', read: (row) => row.kind },
  { name: 'status', kind: 'WORD', read: (row) => row.status },
  { name: 'coverage', kind: 'DOUBLE', read: (row) => row.coverage },
];

/** The columns after the figures: the state of each row, and its dates. To be called before the figures are read. */
export async function flagColumns(
  source: Database,
  filter: Pick<ReportFilter, 'chains' | 'nodes'>,
  { groupBy }: Pick<ReportRequest, 'groupBy'>,
): Promise<MadeColumn<RowHead>[]> {
  const others = await getNodesWithOthers(source, filter);
  return [
    { name: 'decided', kind: 'BOOL', read: ({ decided }) => decided },
    { name: 'other_namespaces', kind: 'BOOL', read: (row) => hasOtherNamespaces(others, groupBy, row) },
    { name: 'day', kind: 'WORD', read: ({ day }) => day },
    { name: 'month', kind: 'WORD', read: ({ month }) => month },
    { name: 'counted', kind: 'BOOL', read: ({ counted }) => counted },
  ];
}

/** @throws ApiError BAD_USER_INPUT without a bucket */
export function toRequest(values: ParameterValues<typeof REPORT_PARAMETERS>, clock: Clock): ReportRequest {
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
export function openReport<Row extends RowHead>(
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

async function* readBatches<Row>(
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
