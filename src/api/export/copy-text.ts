import { escapeLiteral } from 'pg';
import {
  BLANKS,
  type ColumnKind,
  type ExportFormat,
  FORMULA_STARTS,
  innerFormula,
  type SqlColumn,
} from './export-column.js';

const FORMULA_CODES = FORMULA_STARTS.map((start) => start.codePointAt(0)).join(', ');

/** SQL: a time as ISO 8601 in UTC with microseconds, the form that every tool reads. */
export function isoText(sql: string): string {
  return `to_char((${sql}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** A quote and a delimiter that never occur in JSON text of the server, so that COPY writes the text as it is. */
const BARE = String.raw`FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02'`;

/**
 * The statement that makes the server write a file; for Parquet, the rows that the file is made from.
 * @param from `FROM …` and everything after it
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
      return `COPY (SELECT ${jsonLine(columns)} ${from}) TO STDOUT (${BARE})`;
    case 'parquet':
      return `COPY (${select(columns, typedCell)} ${from}) TO STDOUT (FORMAT binary)`;
    default:
      return format satisfies never;
  }
}

type ToSql = (kind: ColumnKind, sql: string) => string;

function select(columns: readonly SqlColumn[], toSql: ToSql): string {
  return `SELECT ${columns.map(({ name, kind, sql }) => `${toSql(kind, sql)} AS "${name}"`).join(', ')}`;
}

function csvCell(kind: ColumnKind, sql: string): string {
  if (kind === 'TEXT') {
    const escaped = `regexp_replace(${sql}, ${escapeLiteral(innerFormula(','))}, '\\1''\\2', 'g')`;
    return `CASE WHEN ascii(ltrim(${sql}, ${escapeLiteral(BLANKS)})) IN (${FORMULA_CODES}) THEN '''' || ${escaped} ELSE ${escaped} END`;
  }
  if (kind === 'TIME') return isoText(sql);
  return kind === 'BOOL' ? `(${sql})::text` : sql;
}

/** One `concat`: `row_to_json` looks up every type again in every row, and takes twice as long. */
function jsonLine(columns: readonly SqlColumn[]): string {
  const members = columns.map(({ name, kind, sql }, index) => {
    const before = `${index === 0 ? '{' : ','}"${name}":`;
    return `'${before}', coalesce(${jsonCell(kind, sql)}, 'null')`;
  });
  return `concat(${members.join(', ')}, '}')`;
}

function jsonCell(kind: ColumnKind, sql: string): string {
  switch (kind) {
    case 'TEXT':
      return `to_json(${sql})::text`;
    case 'WORD':
    case 'DATE':
      return `'"' || ${sql} || '"'`;
    case 'TIME':
      return `'"' || ${isoText(sql)} || '"'`;
    case 'INT64':
    case 'DECIMAL':
    case 'DOUBLE':
    case 'BOOL':
      return `(${sql})::text`;
    default:
      return kind satisfies never;
  }
}

const BINARY_TYPES: Readonly<Record<ColumnKind, string>> = {
  TEXT: 'text',
  WORD: 'text',
  INT64: 'int8',
  DECIMAL: 'text',
  DOUBLE: 'float8',
  BOOL: 'bool',
  TIME: 'timestamptz',
  DATE: 'text',
};

/** SQL: a value cast to the type that its kind of cell is read from, in Postgres' binary format or by the driver. */
export function typedCell(kind: ColumnKind, sql: string): string {
  return `(${sql})::${BINARY_TYPES[kind]}`;
}
