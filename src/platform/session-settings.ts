import { escapeIdentifier, type ClientBase } from 'pg';

/**
 * What statements rely on, and a server, a database or a role may have otherwise. What is not named here is the operator's:
 * how statements are planned, where tables are made (`search_path`), whether a commit waits for the disk.
 */
const PINNED = {
  // What values look like, which `rows/column-parsers.ts` reads.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // What texts of SQL mean.
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  // What a transaction sees.
  default_transaction_isolation: 'read committed',
  // A statement ends by its own limit alone, and only we close a connection.
  lock_timeout: '0',
  idle_session_timeout: '0',
} as const;

/** SQL: the same of what ends transactions since Postgres 17. */
const END_NO_TRANSACTION = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'`;

/** Where a session keeps the limit of its statements, so that {@link TAKE_TIME_BACK} finds it. */
const OWN_LIMIT = 'hindsight.statement_timeout';

/**
 * SQL: gives a session that has set `statement_timeout` the limit of its pool again. RESET would give it what the server has, as
 * our settings do not stand in the greeting of a connection: poolers refuse those.
 */
export const TAKE_TIME_BACK = `SELECT set_config('statement_timeout', current_setting('${OWN_LIMIT}'), false)`;

/** What differs from pool to pool. */
export interface SessionSettings {
  /** The server ends a statement after so many milliseconds. */
  readonly statementMs: number;
  /** The server ends a transaction in which nothing was asked for so many milliseconds; as the server has it when left out. */
  readonly idleInTransactionMs?: number | undefined;
  /** Where tables are looked for, and in the first of which they are made; the role's own when left out. */
  readonly schemas?: readonly string[] | undefined;
}

/** Sets what all our sessions rely on, whatever the server, the database and the role have. */
export async function pinSession(
  client: Pick<ClientBase, 'query'>,
  { statementMs, idleInTransactionMs, schemas }: SessionSettings,
): Promise<void> {
  const limit = String(statementMs);
  const settings: Record<string, string> = {
    ...PINNED,
    statement_timeout: limit,
    [OWN_LIMIT]: limit,
    ...(idleInTransactionMs !== undefined && {
      idle_in_transaction_session_timeout: String(idleInTransactionMs),
    }),
    ...(schemas && { search_path: schemas.map(escapeIdentifier).join(', ') }),
  };
  await client.query(
    'SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS s (name, value)',
    [Object.keys(settings), Object.values(settings)],
  );
  await client.query(END_NO_TRANSACTION);
}
