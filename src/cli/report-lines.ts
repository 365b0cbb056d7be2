import { formatSubmissionId } from '../api/submissions/submission-id.js';
import { Decimal } from '../domain/cost/decimal.js';
import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../domain/submissions/submission-codes.js';
import { formatTime, microsToNanos } from '../domain/time.js';
import type { Database, Query } from '../platform/sql.js';
import { quarterOf } from '../projections/quarters.js';
import { loadPriceBooks } from '../projections/prices/prices.js';
import { inOneSnapshot } from '../platform/snapshot.js';
import { findPositionAt } from '../statistics/read/plan/log-position.query.js';
import type { RecordedChain } from '../statistics/read/plan/recorded-chains.query.js';
import { ceilToQuarter } from '../statistics/read/plan/report-plan.js';
import { readCostLines, type CostLine } from '../statistics/roll-up/cost-lines.js';
import type { CellValue, ExportColumn } from '../api/export/export-column.js';
import { type CsvLocale, toCsv, toCsvHeader } from '../api/export/row-writers.js';
import { print } from './outputs.js';
import { toTia } from '../api/reports/report-columns.js';
import { findRange, type ReportQuestion } from '../statistics/read/cost/chain-report.reader.js';

/** Names by the keys that lines have. */
interface Names {
  readonly nodes: ReadonlyMap<number, string>;
  readonly namespaces: ReadonlyMap<number, string>;
  readonly lineages: ReadonlyMap<number, number>;
}

type LineColumn = ExportColumn & { readonly read: (line: CostLine, names: Names) => CellValue };

const text = (name: string, read: LineColumn['read']): LineColumn => ({ name, kind: 'TEXT', read });
const number = (name: string, read: LineColumn['read']): LineColumn => ({ name, kind: 'DECIMAL', read });
const tia = (utia: bigint | undefined): CellValue => (utia === undefined ? null : toTia(Decimal.of(utia)));

/** The last columns have the names of the sums in reports. */
const COLUMNS: readonly LineColumn[] = [
  text('chain', ({ chain }) => chain),
  text('time', ({ timeAt }) => formatTime(microsToNanos(timeAt), 6)),
  text('id', (line, names) => formatSubmissionId(keyOf(line, names))),
  text('node', ({ nodeKey }, { nodes }) => (nodeKey === null ? null : (nodes.get(nodeKey) ?? null))),
  text('status', ({ status }) => SUBMISSION_STATUSES[status] ?? 'OTHER'),
  text('kind', ({ kind }) => SUBMISSION_KINDS[kind] ?? 'UNKNOWN'),
  text('namespace', ({ namespaceKey }, { namespaces }) => namespaces.get(namespaceKey) ?? null),
  number('da_height', ({ daHeight }) => daHeight),
  number('blob_count', ({ blobCount }) => blobCount),
  number('size_bytes', ({ sizeBytes }) => sizeBytes),
  number('gas_min', ({ gas }) => gas?.min ?? null),
  number('gas_max', ({ gas }) => gas?.max ?? null),
  number('fee_min_tia', ({ fee }) => tia(fee?.min)),
  number('fee_max_tia', ({ fee }) => tia(fee?.max)),
  text('fee_basis', ({ fee }) => fee?.basis ?? null),
  number('fiat_min', ({ fiat }) => fiat?.min.toString() ?? null),
  number('fiat_max', ({ fiat }) => fiat?.max.toString() ?? null),
  text('fiat_unit', ({ fiat }) => fiat?.unit ?? null),
  // Deprecated: the former names of blob_count, fee_basis and size_bytes, for one version.
  number('blobs', ({ blobCount }) => blobCount),
  text('basis', ({ fee }) => fee?.basis ?? null),
  number('bytes', ({ sizeBytes }) => sizeBytes),
];

/** Waits for the reader between two pages of lines, without a time limit. */
const WAIT_IN_TRANSACTION = 'SET LOCAL idle_in_transaction_session_timeout = 0';

/** A chain and the report that is requested for it. */
interface ChainRequest {
  readonly recorded: RecordedChain;
  readonly question: ReportQuestion;
}

/** Prints each submission in the totals of reports as a line of CSV, by chain and time. @throws OutputFailure */
export async function printReportLines(
  dataSource: Database,
  requests: readonly ChainRequest[],
  locale: CsvLocale,
): Promise<void> {
  await print(toCsvHeader(COLUMNS, locale));
  for (const { recorded, question } of requests) {
    const { chain, zone, extent } = recorded;
    const range = findRange(question, question.timeZone ?? zone, extent);
    if (range === undefined) continue;
    const time = { fromUs: quarterOf(range.fromUs), toUs: ceilToQuarter(range.toUs) };
    // Lines that are printed cannot be taken back.
    await inOneSnapshot(dataSource, async (query) => {
      await query(WAIT_IN_TRANSACTION);
      const { knownAtUs, pricesAsOfUs } = question;
      const knownAt = knownAtUs === undefined ? undefined : await findPositionAt(query, knownAtUs);
      const books = await loadPriceBooks(query, { knownAt, asOfUs: pricesAsOfUs });
      const names = await readNames(query);
      let rows: CellValue[][] = [];
      const addLine = (line: CostLine): void => {
        rows.push(COLUMNS.map(({ read }) => read(line, names)));
      };
      await readCostLines(query, [{ nodeKey: 0, chain, ...time }], { books, knownAt }, addLine, () => {
        const text = toCsv(rows, COLUMNS, locale);
        rows = [];
        return print(text);
      });
    });
  }
}

async function readNames(query: Query): Promise<Names> {
  const read = async <Name>(sql: string): Promise<Map<number, Name>> =>
    new Map((await query<{ key: number; name: Name }>(sql)).map(({ key, name }) => [key, name]));
  return {
    nodes: await read<string>('SELECT node_key AS key, id AS name FROM node'),
    namespaces: await read<string>('SELECT namespace_key AS key, namespace AS name FROM namespace'),
    lineages: await read<number>('SELECT lineage_key AS key, n AS name FROM lineage'),
  };
}

function keyOf(line: CostLine, { nodes, lineages }: Names): Parameters<typeof formatSubmissionId>[0] {
  const { nodeKey, sequence, lineageKey, chain, kind, daHeight } = line;
  return nodeKey !== null && sequence !== null
    ? { node: nodes.get(nodeKey) ?? '', sequence }
    : {
        chain,
        n: lineages.get(lineageKey ?? 0) ?? 0,
        kind: SUBMISSION_KINDS[kind] ?? 'UNKNOWN',
        daHeight: daHeight ?? 0n,
      };
}
