import { createHash } from 'node:crypto';
import { type Database, inTransaction, type Query } from '../../platform/sql.js';
import { EXCLUDED } from '../exclusions.js';
import { refuseObstacles } from './dependent-views.js';
import type { Projection } from '../projection.js';
import { tablesOf, type ReadModelSet } from './read-model-set.js';

/** The tables of a rebuild's schema in addition to those of its set. */
const BOOKKEEPING = ['projection_checkpoint', 'projection_fault'];

export function schemaOf(set: Pick<ReadModelSet, 'name'>): string {
  return `rebuild_${set.name}`;
}

/**
 * Creates the schema with the set's tables, empty except for the keys that outlive a rebuild. If an interrupted rebuild by
 * the same rules left a schema, keeps it with its rows.
 *
 * The tables are made by the migrations that made the live ones, so the names of indexes and the comments are the same.
 *
 * @returns whether there is an interrupted rebuild to continue
 */
export async function prepareSchema(
  dataSource: Database,
  set: ReadModelSet,
  projections: readonly Projection[],
  migrations: readonly string[],
): Promise<boolean> {
  const schema = schemaOf(set);
  return inTransaction(dataSource, async (query) => {
    await query("SET LOCAL statement_timeout = '10min'");
    await refuseObstacles(query, tablesOf(set, projections));
    const live = await readLiveSchema(query);
    const [found] = await query<{ rules: string | null }>(
      "SELECT obj_description(oid, 'pg_namespace') AS rules FROM pg_namespace WHERE nspname = $1",
      [schema],
    );
    const tables = tablesOf(set, projections);
    const { excluded, isSame } = await readExclusions(query, projections);
    const rules = fingerprint([...migrations, excluded], set, projections);
    if (found?.rules === rules && (await isWhole(query, schema, tables))) return true;
    await query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await query(`CREATE SCHEMA "${schema}"`);
    // The search path is this schema alone: a migration must not find the live tables.
    await query(`SET LOCAL search_path TO "${schema}"`);
    for (const sql of migrations) await query(sql);
    await keepOnly(query, schema, [...BOOKKEEPING, ...tables]);
    for (const projection of projections) {
      await query(
        'INSERT INTO projection_checkpoint (name, position, version, excluded) VALUES ($1, 0, $2, $3)',
        [projection.name, projection.version, excluded],
      );
      // Other nodes: keys are counted again, as if an excluded node had never been recorded.
      if (isSame) await copyKeys(query, { schema, live }, projection);
      await projection.succession?.begin(query, live);
    }
    await query(`COMMENT ON SCHEMA "${schema}" IS '${rules}'`);
    return false;
  });
}

/** The nodes that operators have excluded, as JSON, and whether the live tables of all projections were made without the same nodes. */
async function readExclusions(
  query: Query,
  projections: readonly Projection[],
): Promise<{ readonly excluded: string; readonly isSame: boolean }> {
  const [row] = await query<{ excluded: string; isSame: boolean }>(
    `SELECT o.excluded::text AS excluded, coalesce(bool_and(c.excluded = o.excluded), true) AS "isSame"
       FROM (SELECT ${EXCLUDED} AS excluded) o LEFT JOIN projection_checkpoint c ON c.name = ANY ($1) GROUP BY o.excluded`,
    [projections.map(({ name }) => name)],
  );
  return row ?? { excluded: '[]', isSame: true };
}

/** The schema of the live tables: the first one that the service's role may use. */
export async function readLiveSchema(query: Query): Promise<string> {
  const [row] = await query<{ schema: string | null }>('SELECT current_schema() AS schema');
  if (!row?.schema) throw new Error('The database has no schema for tables: its search_path is empty.');
  return row.schema;
}

/**
 * Guards against a pooler that drops the connections' `search_path`: they would find the live tables.
 * @throws Error when the connections do not see the schema first
 */
export async function requireSchema(beside: Database, schema: string): Promise<void> {
  const [row] = await beside.query<{ schema: string }[]>('SELECT current_schema() AS schema');
  if (row?.schema === schema) return;
  throw new Error(
    `The connections see the schema ${row?.schema}, and not ${schema}; connect without a pooler.`,
  );
}

/** Checks for missing tables: a query for one would find the live table instead. */
async function isWhole(query: Query, schema: string, tables: readonly string[]): Promise<boolean> {
  const [row] = await query<{ missing: number }>(
    'SELECT count(*)::int AS missing FROM unnest($1::text[]) path WHERE to_regclass(path) IS NULL',
    [[...BOOKKEEPING, ...tables].map((table) => `"${schema}"."${table}"`)],
  );
  return row?.missing === 0;
}

/** Changes with the rules or tables: a rebuild cannot continue from what other rules made. */
function fingerprint(
  makers: readonly string[],
  { derived }: ReadModelSet,
  projections: readonly Projection[],
): string {
  const versions = [...projections, ...(derived ? [derived] : [])].map(
    ({ name, version }) => `${name} ${version}`,
  );
  const hash = createHash('sha256');
  for (const part of [...versions, ...makers]) hash.update(part).update('\0');
  return `${versions.join(', ')} (${hash.digest('hex').slice(0, 16)})`;
}

/** Drops the tables of other sets: they would hide the live ones from queries during the rebuild. */
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
