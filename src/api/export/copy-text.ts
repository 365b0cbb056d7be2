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

/** In one pass: `row_to_json` looks every type up again in every row, and takes twice the time. */
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
};

/** A value in the type that a cell of its kind is read from, in Postgres' binary format or by the driver. */
export function typedCell(kind: ColumnKind, sql: string): string {
  return `(${sql})::${BINARY_TYPES[kind]}`;
}
