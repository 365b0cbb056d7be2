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
import type { Cell, ColumnKind, ExportColumn, SqlColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import type { MadeRows } from '../export-table.js';

/** Columns of submissions that are only in the log or are found through blocks; JSON as text. */
export const LOG_COLUMNS = ['raw', 'blob_ids', 'blocks'].map((name): ExportColumn => ({
  name,
  kind: 'TEXT',
}));

/** The columns about a submission's cost: computed from the submission and the price book, and stored nowhere. */
const COSTS = {
  gas_min: ['INT64', ({ gas }) => gas?.min ?? null],
  gas_max: ['INT64', ({ gas }) => gas?.max ?? null],
  fee_min_utia: ['INT64', ({ fee }) => fee?.min ?? null],
  fee_max_utia: ['INT64', ({ fee }) => fee?.max ?? null],
  fee_basis: ['WORD', ({ fee }) => fee?.basis ?? null],
  fiat_min: ['DECIMAL', ({ fiat }) => fiat?.min.toString() ?? null],
  fiat_max: ['DECIMAL', ({ fiat }) => fiat?.max.toString() ?? null],
  fiat_unit: ['WORD', ({ fiat }) => fiat?.unit ?? null],
} as const satisfies Readonly<Record<string, readonly [ColumnKind, (line: CostLine) => Cell]>>;

function isOfCost(name: string): name is keyof typeof COSTS {
  return name in COSTS;
}

export const COST_COLUMNS = Object.entries(COSTS).map(([name, [kind]]): ExportColumn => ({ name, kind }));

type LogRow = SubmissionValues & Readonly<Record<`c${number}`, Cell>>;

/** Fields whose look-up needs the same values. */
const LOOKED_UP = new Set(['raw', 'blocks', 'cost']);

/** Rows read at a time; few, because rows as sent can be large. */
const ROWS_AT_ONCE = 100;

/** Makes rows that have such columns. @param knownAt position of the log; undefined: the present */
export function madeFromLog(
  { sentRows, carriedBlocks, costLines }: ExportReaders,
  columns: readonly (SqlColumn | ExportColumn)[],
  knownAt: bigint | undefined,
): MadeRows<LogRow> {
  const names = new Set(columns.map(({ name }) => name));
  const cells = columns.map((column, index) =>
    'sql' in column ? `${typedCell(column.kind, column.sql)} AS c${index}` : `NULL AS c${index}`,
  );
  const findSent = async (rows: readonly LogRow[]): Promise<(SentRow | undefined)[]> => {
    if (!names.has('raw') && !names.has('blob_ids')) return [];
    return sentRows.getSentRows(
      rows.map(({ fromPosition, sequence }) => ({ fromPosition, sequence: sequence ?? 0n })),
    );
  };
  const findBlocks = async (rows: readonly LogRow[]): Promise<bigint[][]> => {
    if (!names.has('blocks')) return [];
    return carriedBlocks.getCarriedHeights(rows, knownAt);
  };
  const findCosts = async (rows: readonly LogRow[]): Promise<(CostLine | undefined)[]> => {
    if (!columns.some(({ name }) => isOfCost(name))) return [];
    return costLines.getCosts(rows, knownAt);
  };
  return {
    columns,
    joins: SUBMISSION_NAMES,
    select: `SELECT ${cells.join(', ')}, ${selectFields(SUBMISSION_FIELDS, SUBMISSION_NEEDS, LOOKED_UP)}`,
    atOnce: ROWS_AT_ONCE,
    toCells: async (rows) => {
      const [sent, blocks, lines] = [await findSent(rows), await findBlocks(rows), await findCosts(rows)];
      return rows.map((row, at) =>
        columns.map(({ name }, index): Cell => {
          const line = lines[at];
          if (isOfCost(name)) return line === undefined ? null : COSTS[name][1](line);
          if (name === 'raw') return sent[at]?.text ?? null;
          if (name === 'blob_ids') return JSON.stringify(sent[at]?.row.blobIds ?? []);
          return name === 'blocks' ? `[${(blocks[at] ?? []).join(',')}]` : (row[`c${index}`] ?? null);
        }),
      );
    },
  };
}
