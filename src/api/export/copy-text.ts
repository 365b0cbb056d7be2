import { type ColumnKind, type ExportFormat, FORMULA_STARTS, type SqlColumn } from './export-column.js';

const FORMULA_CODES = FORMULA_STARTS.map((start) => start.codePointAt(0)).join(', ');

/** A time in the one form that every tool reads, with all the digits that there are. */
export function isoText(sql: string): string {
  return `to_char((${sql}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Characters that no JSON text of the server holds: with them COPY puts nothing around it. */
const BARE = String.raw`FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02'`;

/**
 * The statement that makes the server write a file, or for Parquet what it is made from.
 * @param from `FROM …` and all that follows
 */
export function copyStatement(
  columns: readonly SqlColumn[],
  from: string,
  format: ExportFormat,
  { hasHeader }: { readonly hasHeader: boolean },
): string {
  switch (format) {
    case 'csv':
      return `COPY (${select(columns, csvCell)} ${from}) TO STDOUT (FORMAT csv, HEADER ${hasHeader})`;
    case 'ndjson':
      return `COPY (SELECT row_to_json(line)::text FROM (${select(columns, jsonCell)} ${from}) line) TO STDOUT (${BARE})`;
    case 'parquet':
      return `COPY (${select(columns, binaryCell)} ${from}) TO STDOUT (FORMAT binary)`;
    default:
      return format satisfies never;
  }
}

type ToSql = (kind: ColumnKind, sql: string) => string;

function select(columns: readonly SqlColumn[], toSql: ToSql): string {
  return `SELECT ${columns.map(({ name, kind, sql }) => `${toSql(kind, sql)} AS "${name}"`).join(', ')}`;
}

function csvCell(kind: ColumnKind, sql: string): string {
  if (kind === 'TEXT')
    return `CASE WHEN ascii(${sql}) IN (${FORMULA_CODES}) THEN '''' || ${sql} ELSE ${sql} END`;
  return kind === 'BOOL' ? `(${sql})::text` : jsonCell(kind, sql);
}

function jsonCell(kind: ColumnKind, sql: string): string {
  return kind === 'TIME' ? isoText(sql) : sql;
}

const BINARY_TYPES: Readonly<Record<ColumnKind, string>> = {
  TEXT: 'text',
  WORD: 'text',
  INT64: 'int8',
  DECIMAL: 'text',
  DOUBLE: 'float8',
  BOOL: 'bool',
  TIME: 'timestamptz',
};

function binaryCell(kind: ColumnKind, sql: string): string {
  return `(${sql})::${BINARY_TYPES[kind]}`;
}
