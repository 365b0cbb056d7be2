import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addSqlRole,
  dropSqlRole,
  isRoleName,
  readRoleBounds,
  renewSqlRole,
  type RoleBounds,
} from '../platform/sql-roles.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface SqlUserOptions extends SettingOptions {
  readonly newPassword?: boolean;
  readonly drop?: boolean;
}

/** `hindsight sql-user`: manages roles that may read the views by SQL. */
export function define(command: Command): void {
  command
    .argument('<name>', 'name of the role: 1 to 63 of a-z 0-9 _, beginning with a letter', readName)
    .addOption(
      new Option('--new-password', 'give another password to a role that this command made').conflicts(
        'drop',
      ),
    )
    .option('--drop', 'end the sessions of such a role, and drop it');
  addDatabaseOptions(command).action(run);
}

async function run(name: string, options: SqlUserOptions): Promise<void> {
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
    `The role ${name} reads the views of the schema reporting, and nothing else. Its password is shown only once.\n${describeBounds(made.bounds)}`,
  );
  process.stdout.write(describeWays(name, made.password, made.url));
}

/** Shown if Hindsight's own role is not a superuser. */
const NOT_KEPT_OFF =
  'On this server the role can take locks that the service needs, and write into the write-ahead log: the role of Hindsight may not forbid that.\n' +
  'A superuser may: run this command again with --new-password, and with a superuser in --database-url.\n';

/** Limits that the server enforces, and limits that it does not: they must not be confused. */
function describeBounds({ connections, temporary, isKeptOff }: RoleBounds): string {
  const files = temporary === undefined ? '' : `, each with ${temporary} of temporary files`;
  return (
    `The server limits the role to ${connections} connections${files}.\n` +
    (isKeptOff ? '' : NOT_KEPT_OFF) +
    'Its statements end after 60 s, unless the role sets another limit, which no server refuses: give the role only to people whom you trust. SECURITY.md lists what else the role can do.\n'
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
    'It must have 1 to 63 of a-z 0-9 _, begin with a letter, and not begin with pg_.',
  );
}
