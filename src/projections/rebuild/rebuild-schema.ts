import { createHash } from 'node:crypto';
import { type Database, inTransaction, type Query } from '../../platform/sql.js';
import { refuseObstacles } from './dependent-views.js';
import type { Projection } from '../projection.js';
import { tablesOf, type ReadModelSet } from './read-model-set.js';

/** What a rebuild's schema holds beside the tables of its set. */
const BOOKKEEPING = ['projection_checkpoint', 'projection_fault'];

/** The schema in which a set is rebuilt. */
export function schemaOf(set: Pick<ReadModelSet, 'name'>): string {
  return `rebuild_${set.name}`;
}

/**
 * Makes the schema with the set's tables, empty but for the keys that outlive a rebuild. Or leaves the schema that an
 * interrupted rebuild by the same rules filled as far as it came.
 *
 * The tables are made by the migrations that made the live ones, so that names of indexes and comments are the same.
 *
 * @returns whether there is something to go on from
 */
export async function prepareSchema(
  dataSource: Database,
  set: ReadModelSet,
  projections: readonly Projection[],
  migrations: readonly string[],
): Promise<boolean> {
  const schema = schemaOf(set);
  const rules = fingerprint(migrations, set, projections);
  return inTransaction(dataSource, async (query) => {
    await query("SET LOCAL statement_timeout = '10min'");
    await refuseObstacles(query, tablesOf(set, projections));
    const live = await readLiveSchema(query);
    const [found] = await query<{ rules: string | null }>(
      "SELECT obj_description(oid, 'pg_namespace') AS rules FROM pg_namespace WHERE nspname = $1",
      [schema],
    );
    const tables = tablesOf(set, projections);
    if (found?.rules === rules && (await isWhole(query, schema, tables))) return true;
    await query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await query(`CREATE SCHEMA "${schema}"`);
    // Nothing but this schema: a migration must not find the live tables.
    await query(`SET LOCAL search_path TO "${schema}"`);
    for (const sql of migrations) await query(sql);
    await keepOnly(query, schema, [...BOOKKEEPING, ...tables]);
    for (const projection of projections) {
      await copyKeys(query, { schema, live }, projection);
      await projection.succession?.begin(query, live);
    }
    await query(`COMMENT ON SCHEMA "${schema}" IS '${rules}'`);
    return false;
  });
}

/** The schema in which the live tables are: the first one that the service's role may use. */
export async function readLiveSchema(query: Query): Promise<string> {
  const [row] = await query<{ schema: string | null }>('SELECT current_schema() AS schema');
  if (!row?.schema) throw new Error('The database has no schema for tables: its search_path is empty.');
  return row.schema;
}

/**
 * A pooler in between may have dropped what the connections were told: they would find the live tables.
 * @throws when the schema is not the first that the connections see
 */
export async function requireSchema(beside: Database, schema: string): Promise<void> {
  const [row] = await beside.query<{ schema: string }[]>('SELECT current_schema() AS schema');
  if (row?.schema === schema) return;
  throw new Error(
    `The connections see the schema ${row?.schema}, and not ${schema}; connect without a pooler.`,
  );
}

/** A table that is missing would be found among the live ones. */
async function isWhole(query: Query, schema: string, tables: readonly string[]): Promise<boolean> {
  const [row] = await query<{ missing: number }>(
    'SELECT count(*)::int AS missing FROM unnest($1::text[]) path WHERE to_regclass(path) IS NULL',
    [[...BOOKKEEPING, ...tables].map((table) => `"${schema}"."${table}"`)],
  );
  return row?.missing === 0;
}

/** Another set of rules, or of tables, cannot go on from what was made by these. */
function fingerprint(
  migrations: readonly string[],
  { derived }: ReadModelSet,
  projections: readonly Projection[],
): string {
  const versions = [...projections, ...(derived ? [derived] : [])].map(
    ({ name, version }) => `${name} ${version}`,
  );
  const hash = createHash('sha256');
  for (const part of [...versions, ...migrations]) hash.update(part).update('\0');
  return `${versions.join(', ')} (${hash.digest('hex').slice(0, 16)})`;
}

/** Tables of other sets would hide the live ones from whoever reads them on the way. */
async function keepOnly(query: Query, schema: string, tables: readonly string[]): Promise<void> {
  const others = await query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2)',
    [schema, tables],
  );
  for (const { name } of others) await query(`DROP TABLE "${schema}"."${name}" CASCADE`);
}

async function copyKeys(
  query: Query,
  { schema, live }: { readonly schema: string; readonly live: string },
  { keys = {} }: Projection,
): Promise<void> {
  for (const [table, columns] of Object.entries(keys)) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    await query(`INSERT INTO "${schema}"."${table}" (${names}) SELECT ${names} FROM "${live}"."${table}"`);
  }
}
