import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { inTransaction, type Query } from '../platform/sql.js';
import type { Projection } from './projection.js';

/** A long reader must not make everyone behind it wait for the swap: give up soon, and try again. */
const LOCK_TIMEOUT = '1s';
const TRIES = 30;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Key of the advisory lock (of a transaction) that whoever reads the tables for long takes shared, and a swap takes
 * before any table: so that it need not wait in between readers that never let go of the tables all at once.
 */
export const SWAP_LOCK = "hashtext('hindsight swap')";
const SWAP_LOCK_TIMEOUT = '60s';

interface View {
  readonly name: string;
  readonly definition: string;
  readonly grants: readonly string[];
  readonly comment: string | null;
}

/**
 * Puts a projection's rebuilt tables in the place of the live ones, in one short transaction.
 * Grants and dependent views are carried over.
 *
 * @param catchUp brings the rebuilt tables to at least the given position
 */
export async function swapTables(
  dataSource: DataSource,
  schema: string,
  projection: Projection,
  catchUp: (position: bigint) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await trySwap(dataSource, schema, projection, catchUp);
    } catch (error) {
      if (attempt === TRIES || (error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await wait(1_000);
    }
  }
}

function trySwap(
  dataSource: DataSource,
  schema: string,
  projection: Projection,
  catchUp: (position: bigint) => Promise<void>,
): Promise<void> {
  return inTransaction(dataSource, async (query) => {
    await query(`SET LOCAL statement_timeout = '${SWAP_LOCK_TIMEOUT}'`);
    await query(`SET LOCAL lock_timeout = '${SWAP_LOCK_TIMEOUT}'`);
    await query(`SELECT pg_advisory_xact_lock(${SWAP_LOCK})`);
    await query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    // The live projection waits at its checkpoint from here on, so the rebuilt tables can overtake it.
    const [live] = await query<{ position: string }>(
      'SELECT position FROM projection_checkpoint WHERE name = $1 FOR UPDATE',
      [projection.name],
    );
    await catchUp(BigInt(live?.position ?? 0));
    const views = await dropDependentViews(query, projection.tables);
    for (const table of projection.tables) {
      const grants = await getGrants(query, table);
      await query(`DROP TABLE "${table}"`);
      await query(`ALTER TABLE "${schema}"."${table}" SET SCHEMA public`);
      for (const grant of grants) await query(grant);
    }
    for (const view of views) await createView(query, view);
    // Made anew, since a row keeps its version for life.
    await query('DELETE FROM projection_checkpoint WHERE name = $1', [projection.name]);
    await query(
      `INSERT INTO projection_checkpoint (name, position, version)
       SELECT name, position, version FROM "${schema}".projection_checkpoint`,
    );
  });
}

/** Takes away the views over the tables, and the views over those; returns them in an order in which they can be made again. */
async function dropDependentViews(query: Query, tables: readonly string[]): Promise<View[]> {
  const found = await query<{ oid: string; name: string; definition: string; comment: string | null }>(
    `WITH RECURSIVE dependent (oid, depth) AS (
       SELECT DISTINCT r.ev_class, 1 FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = ANY ($1::text[]::regclass[]) AND r.ev_class <> d.refobjid
       UNION
       SELECT r.ev_class, p.depth + 1 FROM dependent p JOIN pg_depend d ON d.refobjid = p.oid
         JOIN pg_rewrite r ON r.oid = d.objid
        WHERE d.classid = 'pg_rewrite'::regclass AND r.ev_class <> d.refobjid
     )
     SELECT oid, oid::regclass::text AS name, pg_get_viewdef(oid) AS definition, obj_description(oid) AS comment
       FROM dependent GROUP BY oid ORDER BY max(depth), oid`,
    [tables.map((table) => `"${table}"`)],
  );
  const views: View[] = [];
  for (const { name, definition, comment } of found) {
    views.push({ name, definition, comment, grants: await getGrants(query, name) });
  }
  for (const { name } of [...views].reverse()) await query(`DROP VIEW ${name}`);
  return views;
}

async function createView(query: Query, view: View): Promise<void> {
  await query(`CREATE VIEW ${view.name} AS ${view.definition}`);
  for (const grant of view.grants) await query(grant);
  if (view.comment !== null) {
    const [quoted] = await query<{ text: string }>('SELECT quote_literal($1) AS text', [view.comment]);
    await query(`COMMENT ON VIEW ${view.name} IS ${quoted?.text}`);
  }
}

/** The GRANT statements that give a relation the rights it has now. */
async function getGrants(query: Query, relation: string): Promise<string[]> {
  const rows = await query<{ statement: string }>(
    `SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, c.oid::regclass,
                   CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(a.grantee::regrole::text) END,
                   CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
       FROM pg_class c, aclexplode(c.relacl) a
      WHERE c.oid = to_regclass($1) AND a.grantee <> c.relowner`,
    [relation],
  );
  return rows.map((row) => row.statement);
}
