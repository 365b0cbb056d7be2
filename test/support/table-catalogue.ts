import type { DataSource } from 'typeorm';
import type { Query } from '../../src/platform/sql.js';

interface TableShape {
  readonly comment: string | null;
  /** Columns of the primary key, sorted; undefined if the database has no key. */
  readonly key: readonly string[] | undefined;
  readonly columns: ReadonlyMap<string, ColumnShape>;
}

interface ColumnShape {
  /** The type as `format_type` writes it. */
  readonly type: string;
  readonly isNullable: boolean;
  /** An expression, as the database writes it. */
  readonly initial: string | null;
  readonly isIdentity: boolean;
  readonly comment: string | null;
}

/** Tables by name. */
export type Catalogue = ReadonlyMap<string, TableShape>;

/** The tables that the entities declare. */
export async function readDeclared({ entityMetadatas }: DataSource, query: Query): Promise<Catalogue> {
  const types = new Set(entityMetadatas.flatMap(({ columns }) => columns.map(({ type }) => String(type))));
  const formatted = await query<{ type: string; name: string }>(
    'SELECT type, format_type(type::regtype, NULL) AS name FROM unnest($1::text[]) type',
    [[...types]],
  );
  const nameOf = new Map(formatted.map(({ type, name }) => [type, name]));
  return new Map(
    entityMetadatas.map(({ tableName, comment, columns, primaryColumns }) => [
      tableName,
      {
        comment: comment ?? null,
        key: primaryColumns.map(({ databaseName }) => databaseName).sort(),
        columns: new Map(
          columns.map((column) => [
            column.databaseName,
            {
              type: nameOf.get(String(column.type)) ?? 'none',
              isNullable: column.isNullable,
              initial: typeof column.default === 'function' ? column.default() : null,
              isIdentity: String(column.generationStrategy) === 'identity',
              comment: column.comment ?? null,
            },
          ]),
        ),
      },
    ]),
  );
}

interface FoundColumn extends ColumnShape {
  readonly table: string;
  readonly about: string | null;
  readonly name: string;
  readonly key: readonly string[] | null;
}

/** The tables of the database, without partitions and without the ORM's list of migrations. */
export async function readFound(query: Query): Promise<Catalogue> {
  const columns = await query<FoundColumn>(
    `SELECT c.relname AS table, obj_description(c.oid, 'pg_class') AS about, a.attname AS name,
            format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS "isNullable",
            pg_get_expr(d.adbin, d.adrelid) AS initial, a.attidentity = 'a' AS "isIdentity",
            col_description(c.oid, a.attnum) AS comment,
            (SELECT array_agg(k.attname::text ORDER BY k.attname) FROM pg_index i
               JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
              WHERE i.indrelid = c.oid AND i.indisprimary) AS key
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> 'schema_migration'`,
  );
  const tables = new Map<string, TableShape & { readonly columns: Map<string, ColumnShape> }>();
  for (const { table, about, name, key, ...column } of columns) {
    const shape = tables.get(table) ?? { comment: about, key: key ?? undefined, columns: new Map() };
    tables.set(table, shape);
    shape.columns.set(name, column);
  }
  return tables;
}

/** Every difference between two catalogues, one per line. A key is compared if the database has one. */
export function compareCatalogues(declared: Catalogue, found: Catalogue): string[] {
  const tables = new Set([...declared.keys(), ...found.keys()]);
  return [...tables].sort().flatMap((name) => {
    const [ours, theirs] = [declared.get(name), found.get(name)];
    if (!ours) return [`${name} is not declared`];
    if (!theirs) return [`${name} is not in the database`];
    return [
      ...differences(name, { comment: ours.comment }, { comment: theirs.comment }),
      ...(theirs.key ? differences(name, { key: ours.key }, { key: theirs.key }) : []),
      ...compareColumns(name, ours.columns, theirs.columns),
    ];
  });
}

function compareColumns(
  table: string,
  declared: ReadonlyMap<string, ColumnShape>,
  found: ReadonlyMap<string, ColumnShape>,
): string[] {
  const columns = new Set([...declared.keys(), ...found.keys()]);
  return [...columns].sort().flatMap((name) => {
    const [ours, theirs] = [declared.get(name), found.get(name)];
    if (!ours) return [`${table}.${name} is not declared`];
    if (!theirs) return [`${table}.${name} is not in the database`];
    return differences(`${table}.${name}`, { ...ours }, { ...theirs });
  });
}

function differences(
  of: string,
  ours: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(ours).flatMap((what) => {
    const [declared, found] = [JSON.stringify(ours[what]), JSON.stringify(theirs[what])];
    return declared === found ? [] : [`${of}: ${what} is declared as ${declared}, and is ${found}`];
  });
}
