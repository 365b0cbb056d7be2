import type { Client, Connection } from 'pg';
import { UserError } from './errors.js';

/** Suffix of the URL of an embedded database: only SCRAM authentication is answered. The parameter's name is libpq's. */
export const SCRAM_ONLY = '?require_auth=scram-sha-256';

/** Members of a connection that its types omit. */
interface Dialogue extends Connection {
  password(answer: string): void;
}

/** Whether a database URL ends with {@link SCRAM_ONLY}. */
export function demandsScram(url: string | undefined): boolean {
  return url?.endsWith(SCRAM_ONLY) ?? false;
}

/**
 * Makes a client talk only to a server that proves by SCRAM that it knows the password, without learning it from the proof. An
 * impostor would ask for the password in clear, or for nothing at all.
 * @param client not yet authenticated
 */
export function insistOnScram(client: Client): void {
  const connection = client.connection as Dialogue;
  let hasProof = false;
  const refuse = (): void => {
    connection.emit(
      'error',
      new UserError(
        `The server at ${client.host}:${client.port} does not prove that it is our database: it may be another program.`,
        'Find out what listens there. Hindsight sent no password.',
      ),
    );
    connection.stream.destroy();
  };
  // The only call that sends a password in clear, or hashed with what the server chose.
  connection.password = refuse;
  connection.once('authenticationSASLFinal', () => (hasProof = true));
  connection.once('authenticationOk', () => {
    if (!hasProof) refuse();
  });
}

/** Splits such a URL into options for clients that a library creates; the password is only used for SCRAM. */
export function toScramParts(url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    // Called when the server asks; a string would be sent to any server that asks.
    password(this: Client): Promise<string> {
      insistOnScram(this);
      return Promise.resolve(decodeURIComponent(password));
    },
  };
}
