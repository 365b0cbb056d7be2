/**
 * Why a question is not answered from the database. `FULL`: too many are asked at once. `AWAY`: the server cannot be
 * reached, or gave way. `OVER`: nobody waits for the answer any more, or the process stops. `LARGE`: it would be too large to be
 * held.
 */
export type RefusalKind = 'FULL' | 'AWAY' | 'OVER' | 'LARGE';

/** A question that is not answered from the database. The message is for whoever asked. */
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
