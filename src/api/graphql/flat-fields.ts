import { ObjectType } from '@nestjs/graphql';
import { columnNameOf } from '../../tables/columns.js';
import type { ColumnKind, SqlColumn } from '../export/export-column.js';
import * as declared from './fields.js';
import { toNanos } from './scalars.js';
import { columnsOfFields, type Selected } from './selected-fields.js';
import type { Past } from './time-travel.js';
import { UpdatedRow, type ChangedRow } from './updated-rows.js';

/** A value of a row, declared once: the SQL that makes it, and its names in GraphQL and in files. */
export interface FlatField<T> {
  readonly sql: string;
  /** Declares it in GraphQL; undefined of what files or the program alone read. */
  readonly declare: PropertyDecorator | undefined;
  /** Its column in files; undefined where they have none. Without a name of its own it takes the field's. */
  readonly file: { readonly kind: ColumnKind; readonly name: string | undefined } | undefined;
  /** Turns the value of the database into the one that is answered. */
  readonly toValue: (value: never) => T;
}

/** The fields of a noun in the order of the columns of its files. */
export type FlatFields = Readonly<Record<string, FlatField<unknown>>>;

/** The values of the fields. */
export type ValuesOf<Fields extends FlatFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends FlatField<infer T> ? T : never;
};

interface Options {
  /** The cost of a value, where it is not 1. */
  readonly complexity?: number;
  /** Its column of files, where that has not the name of the field; null for none. */
  readonly column?: string | null;
  /** The kind of its column, where the type does not tell it. */
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

/** Fields of a type: `int64('s.sequence', 'What it is.')`, and with `.orNull` of one that can be null. */
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
/** Of a column of times; nanoseconds. */
export const time = flatOf<bigint>(declared.dateTime, 'TIME', toNanos);

/** A value that files alone have. */
export function inFiles<T>(kind: ColumnKind, sql: string, name?: string): FlatField<T> {
  return { sql, declare: undefined, file: { kind, name }, toValue: asItIs };
}

/** A value that only the program reads: other things are looked up by it. */
export function key<T>(sql: string): FlatField<T> {
  return { sql, declare: undefined, file: undefined, toValue: asItIs };
}

/** SQL: the word that a code stands for, of one that a newer release has written the last word. */
export function wordOf(code: string, words: readonly string[]): string {
  return `coalesce(('{${words.join(',')}}'::text[])[${code} + 1], '${words.at(-1)}')`;
}

/** The columns of files. */
export function fileColumns(fields: FlatFields): readonly SqlColumn[] {
  return Object.entries(fields).flatMap(([field, { sql, file }]) =>
    file ? [{ name: file.name ?? columnNameOf(field), kind: file.kind, sql }] : [],
  );
}

/** Lists the columns of a SELECT for all fields, those of files as well. */
export function selectAll(fields: FlatFields): string {
  return Object.entries(fields)
    .map(([name, { sql }]) => `${sql} AS "${name}"`)
    .join(', ');
}

/**
 * Lists the columns of a SELECT for the fields that are selected.
 * @param needs by each other field of GraphQL, and `cursor`, the fields that it is looked up by
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

/** The change numbers that every row has. */
type Changes = ChangedRow & { readonly toPosition?: bigint | null };

/** A class whose instances answer these fields of a row; what such rows tell of their changes they answer already. */
export function rowOf<Fields extends FlatFields>(
  fields: Fields,
): abstract new (
  row: ValuesOf<Fields> & Changes,
  past?: Past,
) => UpdatedRow<ValuesOf<Fields> & Changes> & ValuesOf<Fields> {
  @ObjectType({ isAbstract: true })
  abstract class FlatRow extends UpdatedRow<ValuesOf<Fields> & Changes> {}
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
