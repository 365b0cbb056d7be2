import { type Command, InvalidArgumentError, Option } from 'commander';
import { isRoleName, type RoleBounds } from '../platform/sql-roles.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface SqlUserOptions extends SettingOptions {
  readonly newPassword?: boolean;
  readonly drop?: boolean;
}

/** `hindsight sql-user`: manages roles that may read the views by SQL. */
export function define(command: Command): void {
  command
    .argument('<name>', 'name of the role: 1 to 63 of a-z 0-9 _, with a letter first', readName)
    .addOption(
      new Option('--new-password', 'give a role that was made so another password').conflicts('drop'),
    )
    .option('--drop', 'end the sessions of such a role, and take it away');
  addDatabaseOptions(command).action(run);
}

async function run(name: string, options: SqlUserOptions): Promise<void> {
  const { addSqlRole, renewSqlRole, dropSqlRole, readRoleBounds } = await import('../platform/sql-roles.js');
  if (options.drop) {
    await withDatabase(options, ({ dataSource }) => dropSqlRole(dataSource, name));
    process.stdout.write(`Dropped ${name}.\n`);
    return;
  }
  const made = await withDatabase(options, async ({ dataSource, url }) => ({
    url,
    password: await (options.newPassword ? renewSqlRole : addSqlRole)(dataSource, name),
    bounds: await readRoleBounds(dataSource, name),
  }));
  process.stderr.write(
    `The role ${name} reads the views of the schema reporting, and nothing else. Its password is shown this once.\n${describeBounds(made.bounds)}`,
  );
  process.stdout.write(describeWays(name, made.password, made.url));
}

/** Shown if Hindsight's own role is not a superuser. */
const NOT_KEPT_OFF =
  'On this server it can take locks that the service needs, and write into the write-ahead log: our role may not forbid that.\n' +
  "A superuser's may: run this once more with --new-password, and --database-url with such a role.\n";

/** Limits that the server enforces, and limits that it does not: they must not be confused. */
function describeBounds({ connections, temporary, isKeptOff }: RoleBounds): string {
  const files = temporary === undefined ? '' : `, each with ${temporary} of temporary files`;
  return (
    `The server holds it to ${connections} connections${files}.\n` +
    (isKeptOff ? '' : NOT_KEPT_OFF) +
    'Its statements end after 60 s only until it sets another time, which no server refuses: give it to people whom you trust with that. SECURITY.md says what else it can do.\n'
  );
}

/** How programs connect, one line each. */
function describeWays(user: string, password: string, databaseUrl: string): string {
  const { hostname, port: given, pathname, searchParams } = new URL(databaseUrl);
  const port = given || '5432';
  const mode = searchParams.get('sslmode');
  const address = `${hostname}:${port}${pathname}`;
  const database = decodeURIComponent(pathname.slice(1));
  const ways = [
    ['password', password],
    ['psql', `psql 'postgresql://${user}@${address}${mode === null ? '' : `?sslmode=${mode}`}'`],
    ['URL', `postgresql://${user}:${password}@${address}${mode === null ? '' : `?sslmode=${mode}`}`],
    [
      'JDBC',
      `jdbc:postgresql://${address}?user=${user}&currentSchema=reporting${mode === null ? '' : `&sslmode=${mode}`}`,
    ],
    [
      'ODBC',
      `Driver={PostgreSQL Unicode};Server=${hostname};Port=${port};Database=${database};Uid=${user};ReadOnly=1${mode === null ? '' : `;SSLmode=${mode}`}`,
    ],
  ] as const;
  return ways.map(([name, text]) => `${name.padEnd(9)} ${text}\n`).join('');
}

function readName(text: string): string {
  if (isRoleName(text)) return text;
  throw new InvalidArgumentError(
    'It must have 1 to 63 of a-z 0-9 _, with a letter first, and not begin with pg_.',
  );
}
