import type { Query } from '../../platform/sql.js';

/** A view, and what is needed to make it again. */
interface View {
  readonly name: string;
  readonly definition: string;
  readonly grants: readonly string[];
  readonly comment: string | null;
}

/** Takes away the views over the tables, and the views over those; returns them in an order in which they can be made again. */
export async function dropDependentViews(query: Query, tables: readonly string[]): Promise<View[]> {
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

/** Makes a view that was taken away again, with its comment and rights. */
export async function createView(query: Query, view: View): Promise<void> {
  await query(`CREATE VIEW ${view.name} AS ${view.definition}`);
  for (const grant of view.grants) await query(grant);
  if (view.comment !== null) {
    const [quoted] = await query<{ text: string }>('SELECT quote_literal($1) AS text', [view.comment]);
    await query(`COMMENT ON VIEW ${view.name} IS ${quoted?.text}`);
  }
}

/** The GRANT statements that give a relation the rights it has now. */
export async function getGrants(query: Query, relation: string): Promise<string[]> {
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
