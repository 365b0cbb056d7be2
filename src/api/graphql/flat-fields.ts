import { ObjectType } from '@nestjs/graphql';
import { columnNameOf } from '../../tables/columns.js';
import type { ColumnKind, SqlColumn } from '../export/export-column.js';
import * as declared from './fields.js';
import { toNanos } from './scalars.js';
import { columnsOfFields, type Selected } from './selected-fields.js';
import type { Past } from './time-travel.js';
import { UpdatedRow, type ChangedRow } from './updated-rows.js';

/** A value of a row, declared once: its SQL, and its names in GraphQL and in files. */
export interface FlatField<T> {
  readonly sql: string;
  /** Declares the field in GraphQL; undefined for fields that only files or the program read. */
  readonly declare: PropertyDecorator | undefined;
  /** Its column in files; undefined where files have no such column. Without a name, the column is named after the field. */
  readonly file: { readonly kind: ColumnKind; readonly name: string | undefined } | undefined;
  readonly toValue: (value: never) => T;
}

/** The fields of a noun (such as a block), in the order of the columns in its files. */
export type FlatFields = Readonly<Record<string, FlatField<unknown>>>;

export type FieldValues<Fields extends FlatFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends FlatField<infer T> ? T : never;
};

interface Options {
  /** The cost of a value; 1 when left out. */
  readonly complexity?: number;
  /** The name of its column in files, where it differs from the field's; null for no column. */
  readonly column?: string | null;
  /** The kind of its column, where the type does not determine it. */
  readonly kind?: ColumnKind;
}

type Decorate = (about: string, options?: { readonly complexity?: number }) => PropertyDecorator;
type Make<T> = (sql: string, about: string, options?: Options) => FlatField<T>;
const asItIs = (value: never): never => value;

function makerOf<T>(decorate: Decorate, kind: ColumnKind, toValue: (value: never) => T): Make<T> {
  return (sql, about, { column, kind: own = kind, ...options } = {}) => ({
    sql,
    declare: decorate(about, options),
    file: column === null ? undefined : { kind: own, name: column },
    toValue,
  });
}

/** Declares fields of a type: `int64('s.sequence', 'What it is.')`, and with `.orNull` a nullable field. */
export function flatOf<T>(
  decorate: Decorate & { readonly orNull: Decorate },
  kind: ColumnKind,
  toValue: (value: never) => T | null = asItIs,
): Make<T> & { readonly orNull: Make<T | null> } {
  const make = makerOf(decorate, kind, toValue as (value: never) => T);
  return Object.assign(make, { orNull: makerOf<T | null>(decorate.orNull, kind, toValue) });
}

export const id = flatOf<string>(declared.id, 'TEXT');
export const text = flatOf<string>(declared.text, 'TEXT');
export const bool = flatOf<boolean>(declared.bool, 'BOOL');
export const int = flatOf<number>(declared.int, 'INT64');
export const int64 = flatOf<bigint>(declared.exactInt64, 'INT64');
export const decimal = flatOf<string>(declared.exactDecimal, 'DECIMAL');
/** For a `timestamptz` column; the value is in nanoseconds. */
export const time = flatOf<bigint>(declared.dateTime, 'TIME', toNanos);

/** A value that only files have. */
export function inFiles<T>(kind: ColumnKind, sql: string, name?: string): FlatField<T> {
  return { sql, declare: undefined, file: { kind, name }, toValue: asItIs };
}

/** A value that only the program reads, to look other things up. */
export function key<T>(sql: string): FlatField<T> {
  return { sql, declare: undefined, file: undefined, toValue: asItIs };
}

/** SQL: the word for a code. A code that a newer release wrote becomes the last word. */
export function wordOf(code: string, words: readonly string[]): string {
  return `coalesce(('{${words.join(',')}}'::text[])[${code} + 1], '${words.at(-1)}')`;
}

export function fileColumns(fields: FlatFields): readonly SqlColumn[] {
  return Object.entries(fields).flatMap(([field, { sql, file }]) =>
    file ? [{ name: file.name ?? columnNameOf(field), kind: file.kind, sql }] : [],
  );
}

/** The SELECT list for all fields, including those only in files. */
export function selectAll(fields: FlatFields): string {
  return Object.entries(fields)
    .map(([name, { sql }]) => `${sql} AS "${name}"`)
    .join(', ');
}

/**
 * The SELECT list for the selected fields.
 * @param needs for `cursor` and each GraphQL field that is looked up: the fields that the look-up needs
 */
export function selectFields<Fields extends FlatFields>(
  fields: Fields,
  needs: Readonly<Record<string, readonly (keyof Fields & string)[]>>,
  selected: Selected,
): string {
  const ownNames = Object.keys(fields).filter((name) => fields[name]?.declare);
  const own = Object.fromEntries(ownNames.map((name) => [name, [name]]));
  const names = columnsOfFields<string>(selected, { ...own, ...needs });
  return [...names].map((name) => `${fields[name]?.sql} AS "${name}"`).join(', ') || 'true';
}

type Changes = ChangedRow & { readonly toPosition?: bigint | null };

/** Makes a class whose instances expose these fields of a row; {@link UpdatedRow} already exposes the fields about changes. */
export function rowOf<Fields extends FlatFields>(
  fields: Fields,
): abstract new (
  row: FieldValues<Fields> & Changes,
  past?: Past,
) => UpdatedRow<FieldValues<Fields> & Changes> & FieldValues<Fields> {
  @ObjectType({ isAbstract: true })
  abstract class FlatRow extends UpdatedRow<FieldValues<Fields> & Changes> {}
  for (const [name, { declare, toValue }] of Object.entries<FlatField<unknown>>(fields)) {
    if (name in FlatRow.prototype) continue;
    Object.defineProperty(FlatRow.prototype, name, {
      get(this: { readonly row: Readonly<Record<string, never>> }) {
        return toValue(this.row[name] as never);
      },
    });
    declare?.(FlatRow.prototype, name);
  }
  return FlatRow as never;
}
