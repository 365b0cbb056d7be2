import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { ReadModelMigration } from '../../platform/migrations.js';
import { inTransaction, type Query } from '../../platform/sql.js';
import type { Projection } from '../projection.js';
import { tablesOf, type ReadModelSet } from './read-model-set.js';

/** What a rebuild's schema holds beside the tables of its set. */
const BOOKKEEPING = ['projection_checkpoint', 'projection_fault'];

/** The schema in which a set is rebuilt. */
export function schemaOf(set: Pick<ReadModelSet, 'name'>): string {
  return `rebuild_${set.name}`;
}

/**
 * Makes the schema with the set's tables, empty but for the keys that outlive a rebuild; or leaves the one that an
 * interrupted rebuild by the same rules filled as far as it came.
 *
 * The tables are made by the migrations that made the live ones, so that names of indexes and comments are the same.
 *
 * @returns whether there is something to go on from
 */
export async function prepareSchema(
  dataSource: DataSource,
  set: ReadModelSet,
  projections: readonly Projection[],
  migrations: readonly ReadModelMigration[],
): Promise<boolean> {
  const schema = schemaOf(set);
  const rules = fingerprint(migrations, set, projections);
  return inTransaction(dataSource, async (query) => {
    await query("SET LOCAL statement_timeout = '10min'");
    const [found] = await query<{ rules: string | null }>(
      "SELECT obj_description(oid, 'pg_namespace') AS rules FROM pg_namespace WHERE nspname = $1",
      [schema],
    );
    if (found?.rules === rules) return true;
    await query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await query(`CREATE SCHEMA "${schema}"`);
    // Nothing but this schema: a migration must not find the live tables.
    await query(`SET LOCAL search_path TO "${schema}"`);
    for (const { sql } of migrations) await query(sql);
    await keepOnly(query, schema, [...BOOKKEEPING, ...tablesOf(set, projections)]);
    for (const projection of projections) await copyKeys(query, schema, projection);
    await query(`COMMENT ON SCHEMA "${schema}" IS '${rules}'`);
    return false;
  });
}

/** Takes the schema away, with all that is left in it. */
export async function dropSchema(dataSource: DataSource, set: ReadModelSet): Promise<void> {
  await dataSource.query(`DROP SCHEMA IF EXISTS "${schemaOf(set)}" CASCADE`);
}

/** Another set of rules, or of tables, cannot go on from what was made by these. */
function fingerprint(
  migrations: readonly ReadModelMigration[],
  { derived }: ReadModelSet,
  projections: readonly Projection[],
): string {
  const versions = [...projections, ...(derived ? [derived] : [])].map(
    ({ name, version }) => `${name} ${version}`,
  );
  const hash = createHash('sha256');
  for (const part of [...versions, ...migrations.map(({ sql }) => sql)]) hash.update(part).update('\0');
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

async function copyKeys(query: Query, schema: string, { keys = {} }: Projection): Promise<void> {
  for (const [table, columns] of Object.entries(keys)) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    await query(`INSERT INTO "${schema}"."${table}" (${names}) SELECT ${names} FROM public."${table}"`);
  }
}
