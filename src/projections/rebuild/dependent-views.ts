import { UserError } from '../../platform/errors.js';
import type { Query } from '../../platform/sql.js';

/** A view with everything needed to create it again. */
interface DependentView {
  readonly name: string;
  readonly definition: string;
  readonly grants: readonly string[];
  /** The COMMENT statements of the view and its columns. */
  readonly comments: readonly string[];
  /** The content of `WITH (…)`; empty if there are no options. */
  readonly options: string;
  /** Quoted; null if the view belongs to our role. */
  readonly owner: string | null;
}

/** The views over the tables, and the views over those, found through their rewrite rules. */
const DEPENDENT = `WITH RECURSIVE dependent (oid, depth) AS (
    SELECT DISTINCT r.ev_class, 1 FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
     WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = ANY ($1::text[]::regclass[]) AND r.ev_class <> d.refobjid
    UNION
    SELECT r.ev_class, p.depth + 1 FROM dependent p JOIN pg_depend d ON d.refobjid = p.oid
      JOIN pg_rewrite r ON r.oid = d.objid
     WHERE d.classid = 'pg_rewrite'::regclass AND r.ev_class <> d.refobjid
  )`;

/** Refuses user-made objects on the tables that a swap cannot carry over. @throws UserError that names them */
export async function refuseObstacles(query: Query, tables: readonly string[]): Promise<void> {
  const found = await query<{ what: string }>(
    `${DEPENDENT}
     SELECT 'the materialized view ' || c.oid::regclass AS what
       FROM dependent d JOIN pg_class c ON c.oid = d.oid AND c.relkind = 'm'
     UNION SELECT 'the function ' || d.objid::regprocedure FROM pg_depend d
      WHERE d.classid = 'pg_proc'::regclass
        AND (d.refobjid = ANY ($1::text[]::regclass[]) OR d.refobjid IN (SELECT oid FROM dependent))
     UNION SELECT 'row level security of ' || c.oid::regclass FROM pg_class c
      WHERE c.oid = ANY ($1::text[]::regclass[]) AND (c.relrowsecurity OR c.relforcerowsecurity)
     UNION SELECT 'the view ' || c.oid::regclass || ' of another owner' FROM dependent d
       JOIN pg_class c ON c.oid = d.oid AND NOT pg_has_role(c.relowner, 'MEMBER')`,
    [tables.map((table) => `"${table}"`)],
  );
  if (found.length === 0) return;
  throw new UserError(
    `A rebuild replaces the tables, and cannot carry over ${found.map(({ what }) => what).join(', ')}.`,
    'Drop it, rebuild the read models, and create it again; plain views and grants are carried over.',
  );
}

/** Drops the views over the tables, and the views over those; returns them in an order in which they can be created again. */
export async function dropDependentViews(query: Query, tables: readonly string[]): Promise<DependentView[]> {
  const found = await query<Omit<DependentView, 'grants' | 'comments'>>(
    `${DEPENDENT}
     SELECT c.oid::regclass::text AS name, pg_get_viewdef(c.oid) AS definition,
            coalesce(array_to_string(c.reloptions, ', '), '') AS options,
            CASE WHEN pg_get_userbyid(c.relowner) <> current_user THEN c.relowner::regrole::text END AS owner
       FROM (SELECT oid, max(depth) AS depth FROM dependent GROUP BY oid) d JOIN pg_class c ON c.oid = d.oid
      ORDER BY d.depth, c.oid`,
    [tables.map((table) => `"${table}"`)],
  );
  const views: DependentView[] = [];
  for (const view of found) {
    const grants = await getGrants(query, view.name);
    views.push({ ...view, grants, comments: await getComments(query, view.name) });
  }
  for (const { name } of [...views].reverse()) await query(`DROP VIEW ${name}`);
  return views;
}

/** Creates a dropped view again, with its comments and grants. */
export async function createView(query: Query, view: DependentView): Promise<void> {
  const options = view.options === '' ? '' : ` WITH (${view.options})`;
  await query(`CREATE VIEW ${view.name}${options} AS ${view.definition}`);
  if (view.owner !== null) await query(`ALTER VIEW ${view.name} OWNER TO ${view.owner}`);
  for (const grant of view.grants) await query(grant);
  for (const comment of view.comments) await query(comment);
}

async function getComments(query: Query, view: string): Promise<string[]> {
  const rows = await query<{ statement: string }>(
    `SELECT CASE d.objsubid WHEN 0 THEN format('COMMENT ON VIEW %s IS %L', d.objoid::regclass, d.description)
                 ELSE format('COMMENT ON COLUMN %s.%I IS %L', d.objoid::regclass, a.attname, d.description) END AS statement
       FROM pg_description d LEFT JOIN pg_attribute a ON a.attrelid = d.objoid AND a.attnum = d.objsubid
      WHERE d.classoid = 'pg_class'::regclass AND d.objoid = to_regclass($1) ORDER BY d.objsubid`,
    [view],
  );
  return rows.map(({ statement }) => statement);
}

/** The GRANT statements that reproduce the present rights on a relation and its columns. */
export async function getGrants(query: Query, relation: string): Promise<string[]> {
  const rows = await query<{ statement: string }>(
    `SELECT format('GRANT %s%s ON %s TO %s%s', a.privilege_type, ' (' || quote_ident(g.attname) || ')', g.oid::regclass,
                   CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                   CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
       FROM (SELECT oid, relowner, NULL::name AS attname, relacl AS acl FROM pg_class WHERE oid = to_regclass($1)
             UNION ALL
             SELECT c.oid, c.relowner, t.attname, t.attacl FROM pg_class c
               JOIN pg_attribute t ON t.attrelid = c.oid AND NOT t.attisdropped WHERE c.oid = to_regclass($1)) g,
            aclexplode(g.acl) a
      WHERE a.grantee <> g.relowner`,
    [relation],
  );
  return rows.map((row) => row.statement);
}

/** The CREATE TRIGGER statements of the tables' own triggers. */
export async function getTriggers(query: Query, tables: readonly string[]): Promise<string[]> {
  const rows = await query<{ statement: string }>(
    `SELECT pg_get_triggerdef(oid) AS statement FROM pg_trigger
      WHERE tgrelid = ANY ($1::text[]::regclass[]) AND NOT tgisinternal ORDER BY oid`,
    [tables.map((table) => `"${table}"`)],
  );
  return rows.map(({ statement }) => statement);
}
