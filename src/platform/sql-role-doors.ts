import { codeOf } from './errors.js';
import { type Database, inTransaction, type Query } from './sql.js';

/** Comment on a role that marks it as ours. */
export const ROLE_MARK = 'Reads the views of Hindsight; made by hindsight sql-user.';

/**
 * Functions that every role may call by default. With them a reader could block others (locks), or fill the disk (large objects,
 * the write-ahead log, snapshot files).
 */
const HARMFUL =
  '^(pg_(try_)?advisory_|lo_(creat|create|from_bytea)$|pg_logical_emit_message$|pg_export_snapshot$)';

/**
 * Settings that only a superuser can change, so that a role cannot undo them: disk space for sorting, and no lines of its
 * sessions in the server's log.
 */
const FIXED = { temp_file_limit: '2GB', log_min_messages: 'panic' } as const;

/** SQLSTATE when two transactions change the same row of the catalog. */
const CHANGED_AT_ONCE = 'XX000';

interface Doors {
  readonly mayRevoke: boolean;
  readonly isSuperuser: boolean;
  readonly database: string;
  readonly roles: readonly { readonly name: string; readonly settings: readonly string[] }[];
  /** Functions of {@link HARMFUL} that everybody can call. */
  readonly functions: readonly string[];
  /** Roles other than superusers that own something in the database; they keep the right to call the functions. */
  readonly owners: readonly string[];
}

/**
 * Revokes from PUBLIC what the roles of `hindsight sql-user` must not do, as far as our role may. As owner of the database it
 * revokes temporary tables; as superuser, the rest too. Does nothing when there is no such role.
 */
export async function closeSideDoors(query: Query): Promise<void> {
  const doors = await readDoors(query);
  if (doors.roles.length === 0) return;
  if (doors.mayRevoke) await query(`REVOKE TEMPORARY ON DATABASE ${doors.database} FROM PUBLIC`);
  if (!doors.isSuperuser) return;
  for (const { name, settings } of doors.roles) {
    for (const [setting, value] of Object.entries(FIXED)) {
      if (settings.includes(`${setting}=${value}`)) continue;
      await query(`ALTER ROLE ${name} SET ${setting} = '${value}'`);
    }
  }
  if (doors.functions.length === 0) return;
  const functions = doors.functions.join(', ');
  await query(`REVOKE EXECUTE ON FUNCTION ${functions} FROM PUBLIC`);
  if (doors.owners.length > 0)
    await query(`GRANT EXECUTE ON FUNCTION ${functions} TO ${doors.owners.join(', ')}`);
}

/** Calls {@link closeSideDoors} for roles that an older release made. */
export async function closeOldSideDoors(dataSource: Database): Promise<void> {
  try {
    await inTransaction(dataSource, closeSideDoors);
  } catch (error) {
    // Another process does the same at this moment.
    if (codeOf(error) !== CHANGED_AT_ONCE) throw error;
  }
}

async function readDoors(query: Query): Promise<Doors> {
  const isOpen = (acl: string, kind: string, owner: string, right: string): string =>
    `EXISTS (SELECT FROM aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner})))
              WHERE grantee = 0 AND privilege_type = '${right}')`;
  const [doors] = await query<Doors>(
    `SELECT pg_has_role(d.datdba, 'MEMBER') AND ${isOpen('d.datacl', 'd', 'd.datdba', 'TEMPORARY')} AS "mayRevoke",
            current_setting('is_superuser') = 'on' AS "isSuperuser", quote_ident(d.datname) AS database,
            (SELECT coalesce(jsonb_agg(jsonb_build_object(
                      'name', quote_ident(r.rolname), 'settings', coalesce(to_jsonb(r.rolconfig), '[]'))), '[]')
               FROM pg_roles r WHERE shobj_description(r.oid, 'pg_authid') = $1) AS roles,
            ARRAY(SELECT p.oid::regprocedure::text FROM pg_proc p
                   WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ $2
                     AND ${isOpen('p.proacl', 'f', 'p.proowner', 'EXECUTE')}) AS functions,
            ARRAY(SELECT quote_ident(r.rolname) FROM pg_roles r WHERE NOT r.rolsuper
                     AND (r.oid = d.datdba OR r.oid IN (SELECT relowner FROM pg_class))) AS owners
       FROM pg_database d WHERE d.datname = current_database()`,
    [ROLE_MARK, HARMFUL],
  );
  if (!doors) throw new Error('a connection without a database');
  return doors;
}
