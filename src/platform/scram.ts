import type { Client, Connection } from 'pg';
import { UserError } from './errors.js';

/** Ends the URL of an embedded database: nothing but SCRAM is answered. The name is the one that libpq gives it. */
export const SCRAM_ONLY = '?require_auth=scram-sha-256';

/** The parts of a connection that its types do not tell. */
interface Dialogue extends Connection {
  password(answer: string): void;
}

/** Whether a database's URL is one that ends so. */
export function demandsScram(url: string | undefined): boolean {
  return url?.endsWith(SCRAM_ONLY) ?? false;
}

/**
 * Makes a client talk only to a server that proves by SCRAM that it knows the password, and learns nothing of it by
 * that. Whoever has taken the place of a server would ask for it in clear, or for nothing at all.
 * @param client not yet let in
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
  // The one way in which a password leaves in clear, or hashed with what the server chose.
  connection.password = refuse;
  connection.once('authenticationSASLFinal', () => (hasProof = true));
  connection.once('authenticationOk', () => {
    if (!hasProof) refuse();
  });
}

/** Such a URL for clients that others make, in the parts that they take: the password is told by SCRAM alone. */
export function toScramParts(url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    // Called when the server asks; a text would be told to whoever asks.
    password(this: Client): Promise<string> {
      insistOnScram(this);
      return Promise.resolve(decodeURIComponent(password));
    },
  };
}
