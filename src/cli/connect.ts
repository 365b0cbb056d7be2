import { findTlsFault, type TlsFault } from '../domain/tls-fault.js';
import { createDataSource, type DatabasePool, requirePostgres15 } from '../platform/database.js';
import { messageOf, UserError } from '../platform/errors.js';
import { requireSessions } from '../platform/require-sessions.js';
import { redactUrl } from '../platform/redact.js';

const CHECK_URL =
  'Check DATABASE_URL and that the server runs; without DATABASE_URL Hindsight uses its embedded database.';

const TLS_REMEDIES: Readonly<Partial<Record<TlsFault, string>>> = {
  EXPIRED: 'Renew the certificate of the database server, or compare the clocks of both computers.',
  UNTRUSTED:
    'Add &sslrootcert=FILE to DATABASE_URL, with the certificate of the authority; sslmode=require without it trusts any server.',
  OTHER_NAME:
    "Use a name of the server's certificate in DATABASE_URL; sslmode=verify-ca does not compare names.",
  CLIENT_CERTIFICATE: 'Add &sslcert=FILE&sslkey=FILE to DATABASE_URL: the server wants a client certificate.',
};

/**
 * Opens a pool of at least two connections and checks the server.
 * @throws UserError if the server cannot be reached, refuses us, is too old, or has settings or a pooler that we cannot work with
 */
export async function connect(url: string, poolSize: number): Promise<DatabasePool> {
  const dataSource = createDataSource({ url, poolSize });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw new UserError(
      `Cannot use the database ${redactUrl(url)}: ${messageOf(error)}`,
      remedyFor(messageOf(error)),
      1,
      { cause: error },
    );
  }
  try {
    await requirePostgres15(dataSource);
    await requireSessions(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

function remedyFor(reason: string): string {
  if (/does not support SSL/.test(reason)) {
    return 'Turn TLS on in the database server (ssl = on), or set sslmode=disable in DATABASE_URL.';
  }
  const fault = findTlsFault(reason);
  return (fault && TLS_REMEDIES[fault]) ?? CHECK_URL;
}

/**
 * Checks as far as possible: a replica that cannot be reached must only affect clients that read from it.
 * @throws UserError if a pooler in front of it does not keep sessions
 */
export async function checkReplica(url: string): Promise<void> {
  const dataSource = createDataSource({ url, poolSize: 2 });
  try {
    await dataSource.initialize();
    await requireSessions(dataSource);
  } catch (error) {
    if (error instanceof UserError) throw error;
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}
