/**
 * Why the database does not answer a query. `FULL`: too many at once. `AWAY`: the server cannot be reached, or has no connection
 * to spare. `OVER`: nobody waits for the answer any more, or the process stops. `LARGE`: the answer would need too much memory.
 */
export type RefusalKind = 'FULL' | 'AWAY' | 'OVER' | 'LARGE';

/** A query that the database does not answer. The message is for the client. */
export class ReadRefused extends Error {
  override readonly name = 'ReadRefused';

  constructor(
    readonly kind: RefusalKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
