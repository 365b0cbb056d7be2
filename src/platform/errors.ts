import { getSystemErrorMap } from 'node:util';

/**
 * A failure that the person at the keyboard can fix. The command line prints `message` and `remedy` on a line each, without a
 * stack, and exits with `exitCode`.
 */
export class UserError extends Error {
  override readonly name = 'UserError';

  /**
   * @param message what went wrong, one line, without secrets
   * @param remedy what to do about it, one line
   * @param exitCode 1: it failed; 2: wrong usage or settings
   */
  constructor(
    message: string,
    readonly remedy: string,
    readonly exitCode: 1 | 2 = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The text of any thrown value. An AggregateError without a message of its own (a refused connection) lists its parts. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') {
    return thrown.errors.map(messageOf).join('; ');
  }
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return String(thrown);
}

/**
 * A system error in words (`no space left on device`), without the call and path that Node adds; other errors as in `messageOf`.
 */
export function reasonOf(thrown: unknown): string {
  const errno = thrown instanceof Error && 'errno' in thrown ? thrown.errno : undefined;
  const [, words] = (typeof errno === 'number' && getSystemErrorMap().get(errno)) || [];
  return words ?? messageOf(thrown);
}

/** The code of a system or Postgres error (`ENOENT`, `57P03`); undefined without one. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
