import type { CostLine } from '../../../statistics/roll-up/cost-lines.js';
import { selectFields } from '../../graphql/flat-fields.js';
import type { SentRow } from '../../submissions/sent-rows.query.js';
import {
  SUBMISSION_FIELDS,
  SUBMISSION_NAMES,
  SUBMISSION_NEEDS,
  type SubmissionValues,
} from '../../submissions/submission-fields.js';
import { typedCell } from '../copy-text.js';
import type { CellValue, ColumnKind, MadeColumn, SqlColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import type { MadeRows } from '../export-table.js';

type SubmissionLogRow = SubmissionValues & Readonly<Record<`c${number}`, CellValue>>;

/** A row, and what was looked up for it. */
interface LookedUp {
  readonly row: SubmissionLogRow;
  readonly sent: SentRow | undefined;
  readonly blocks: readonly bigint[];
  readonly line: CostLine | undefined;
}

/** A column of submissions: of SQL, or looked up. */
export type SubmissionColumn = SqlColumn | MadeColumn<LookedUp>;

/** Columns of submissions that are only in the log or are found through blocks; JSON as text. */
export const LOG_COLUMNS: readonly MadeColumn<LookedUp>[] = [
  { name: 'raw', kind: 'TEXT', read: ({ sent }) => sent?.text ?? null },
  { name: 'blob_ids', kind: 'TEXT', read: ({ sent }) => JSON.stringify(sent?.row.blobIds ?? []) },
  { name: 'blocks', kind: 'TEXT', read: ({ blocks }) => `[${blocks.join(',')}]` },
];

function costColumn(
  name: string,
  kind: ColumnKind,
  read: (line: CostLine) => CellValue,
): MadeColumn<LookedUp> {
  return { name, kind, read: ({ line }) => (line === undefined ? null : read(line)) };
}

/** The columns about a submission's cost: computed from the submission and the price book, and stored nowhere. */
export const COST_COLUMNS = [
  costColumn('gas_min', 'INT64', ({ gas }) => gas?.min ?? null),
  costColumn('gas_max', 'INT64', ({ gas }) => gas?.max ?? null),
  costColumn('fee_min_utia', 'INT64', ({ fee }) => fee?.min ?? null),
  costColumn('fee_max_utia', 'INT64', ({ fee }) => fee?.max ?? null),
  costColumn('fee_basis', 'WORD', ({ fee }) => fee?.basis ?? null),
  costColumn('fiat_min', 'DECIMAL', ({ fiat }) => fiat?.min.toString() ?? null),
  costColumn('fiat_max', 'DECIMAL', ({ fiat }) => fiat?.max.toString() ?? null),
  costColumn('fiat_unit', 'WORD', ({ fiat }) => fiat?.unit ?? null),
];

/** Fields whose look-up needs the same values. */
const LOOKED_UP = new Set(['raw', 'blocks', 'cost']);

/** Rows read at a time; few, because rows as sent can be large. */
const ROWS_AT_ONCE = 100;

/** Makes rows that have such columns. @param knownAt position of the log; undefined: the present */
export function madeFromLog(
  { sentRows, carriedBlocks, costLines }: ExportReaders,
  columns: readonly SubmissionColumn[],
  knownAt: bigint | undefined,
): MadeRows<SubmissionLogRow, LookedUp> {
  const isAsked = (...names: string[]): boolean => columns.some(({ name }) => names.includes(name));
  const cells = columns.flatMap((column, index) =>
    'sql' in column ? [`${typedCell(column.kind, column.sql)} AS c${index}`] : [],
  );
  const isOfSent = isAsked('raw', 'blob_ids');
  const isOfBlocks = isAsked('blocks');
  const isOfCost = isAsked(...COST_COLUMNS.map(({ name }) => name));
  return {
    columns: columns.map((column, index) =>
      'sql' in column ? { ...column, read: ({ row }) => row[`c${index}`] ?? null } : column,
    ),
    joins: SUBMISSION_NAMES,
    select: `SELECT ${[...cells, selectFields(SUBMISSION_FIELDS, SUBMISSION_NEEDS, LOOKED_UP)].join(', ')}`,
    atOnce: ROWS_AT_ONCE,
    toRows: async (rows) => {
      const places = rows.map(({ fromPosition, sequence }) => ({ fromPosition, sequence: sequence ?? 0n }));
      const sent = isOfSent ? await sentRows.getSentRows(places) : [];
      const blocks = isOfBlocks ? await carriedBlocks.getCarriedHeights(rows, knownAt) : [];
      const lines = isOfCost ? await costLines.getCosts(rows, knownAt) : [];
      return rows.map((row, at) => ({ row, sent: sent[at], blocks: blocks[at] ?? [], line: lines[at] }));
    },
  };
}
