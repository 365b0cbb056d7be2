import { getMetadataArgsStorage } from 'typeorm';
import { columnNameOf, type ColumnType, type ColumnTypes } from '../../tables/columns.js';
import { arrayParameter, encodeArray } from './row-encoders.js';

/** A declared table, see `src/tables/`. */
export type TableClass<Row> = abstract new () => Row;

/** Rows as a FROM item, `unnest(…) AS <alias> (…)`, and its parameters. */
export interface UnnestedRows {
  readonly sql: string;
  readonly names: string;
  readonly parameters: readonly Buffer[];
}

type ColumnTypeMap = Readonly<Record<string, ColumnType>>;
type RowOf<S extends ColumnTypeMap> = { readonly [Name in keyof S]: ColumnTypes[S[Name]] | null };

export interface RowColumn {
  readonly property: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  readonly isKey: boolean;
}

const DECLARED = new WeakMap<object, readonly RowColumn[]>();

/** The columns of a table, as its entity declares them. */
export function declaredColumns(table: TableClass<unknown>): readonly RowColumn[] {
  const known = DECLARED.get(table);
  if (known) return known;
  const columns = getMetadataArgsStorage()
    .filterColumns(table)
    .map(({ propertyName, options }): RowColumn => ({
      property: propertyName,
      name: options.name ?? propertyName,
      type: options.type as ColumnType,
      nullable: options.nullable ?? false,
      isKey: options.primary ?? false,
    }));
  DECLARED.set(table, columns);
  return columns;
}

export function tableNameOf(table: TableClass<unknown>): string {
  const name = getMetadataArgsStorage().filterTables(table)[0]?.name;
  if (name === undefined) throw new Error(`${table.name} is not declared as a table`);
  return name;
}

/** Columns in which many rows are sent at once: one array parameter per column. */
export class RowColumns<Row> {
  /** The names of the columns, as an SQL list. */
  readonly names: string;

  constructor(private readonly columns: readonly RowColumn[]) {
    this.names = this.list((name) => name);
  }

  get count(): number {
    return this.columns.length;
  }

  /** These columns and others that belong to no table. */
  and<More extends ColumnTypeMap>(more: More): RowColumns<Row & RowOf<More>> {
    return new RowColumns([...this.columns, ...toColumns(more)]);
  }

  /** The columns that at least one row sets: each column that is sent costs the server time, even a column of nulls. */
  givenIn(rows: readonly Partial<Row>[]): RowColumns<Row> {
    return new RowColumns(
      this.columns.filter(({ property }) => rows.some((row) => row[property as keyof Row] !== undefined)),
    );
  }

  /** Joins a piece of SQL per column. */
  list(toSql: (name: string) => string, separator = ', '): string {
    return this.columns.map(({ name }) => toSql(name)).join(separator);
  }

  /** @param first number of the first parameter */
  unnest(rows: readonly Row[], alias = 'added', first = 1): UnnestedRows {
    const arrays = this.columns.map(({ type }, index) => arrayParameter(type, first + index));
    return {
      sql: `unnest(${arrays.join(', ')}) AS ${alias} (${this.names})`,
      names: this.names,
      parameters: this.columns.map((column) => encodeArray(column.type, readValues(column, rows))),
    };
  }
}

function readValues({ property, type, nullable }: RowColumn, rows: readonly unknown[]): unknown[] {
  const isJson = type === 'json' || type === 'jsonb';
  return rows.map((row) => {
    const value = (row as Readonly<Record<string, unknown>>)[property] ?? null;
    if (!isJson) return value;
    return value === null && nullable ? null : JSON.stringify(value);
  });
}

function toColumns(shape: ColumnTypeMap): RowColumn[] {
  return Object.entries(shape).map(([property, type]) => ({
    property,
    name: columnNameOf(property),
    type,
    nullable: true,
    isKey: false,
  }));
}

/** All columns of a table, or only the named ones, in the given order. */
export function columnsOf<Row>(table: TableClass<Row>): RowColumns<Row>;
export function columnsOf<Row, Name extends keyof Row & string>(
  table: TableClass<Row>,
  ...only: readonly Name[]
): RowColumns<Pick<Row, Name>>;
export function columnsOf<Row>(table: TableClass<Row>, ...only: readonly string[]): RowColumns<Row> {
  const columns = declaredColumns(table);
  if (only.length === 0) return new RowColumns(columns);
  return new RowColumns(
    only.map((name) => {
      const column = columns.find(({ property }) => property === name);
      if (!column) throw new Error(`${table.name} has no column for ${name}`);
      return column;
    }),
  );
}

/** Columns of rows that belong to no table. */
export function columnsFor<S extends ColumnTypeMap>(shape: S): RowColumns<RowOf<S>> {
  return new RowColumns(toColumns(shape));
}

export function keyColumnsOf<Row>(table: TableClass<Row>): RowColumns<Row> {
  return new RowColumns(declaredColumns(table).filter(({ isKey }) => isKey));
}

/**
 * The select list for rows of a table: each column under the name of its property.
 *
 * @param alias of the table in the statement
 * @param only these properties; all when left out
 */
export function selectList<Row>(
  table: TableClass<Row>,
  alias: string,
  only?: readonly (keyof Row & string)[],
): string {
  return declaredColumns(table)
    .filter(({ property }) => only?.includes(property as keyof Row & string) ?? true)
    .map(({ name, property }) => `${alias}.${name}${name === property ? '' : ` AS "${property}"`}`)
    .join(', ');
}
