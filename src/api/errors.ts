import { GraphQLError } from 'graphql';
import { hasLostRace } from '../platform/database.js';
import { codeOf, messageOf, UserError } from '../platform/errors.js';
import { ReadRefused, type RefusalKind } from '../platform/reads/read-refused.js';
import { OtherRules } from '../projections/projection.js';
import { UnknownName } from '../statistics/read/known-names.query.js';
import { ReadFault } from '../statistics/read/plan/read-fault.js';

/** Every code that `extensions.code` of an error may bear, with the HTTP status of a request that got no further. */
const STATUS_OF = {
  BAD_USER_INPUT: 400,
  NOT_FOUND: 404,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  TOO_EXPENSIVE: 400,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
} as const;

/** Statuses that say that the same request may be answered later. */
export const ASK_AGAIN: ReadonlySet<number> = new Set([STATUS_OF.RATE_LIMITED, STATUS_OF.UNAVAILABLE]);

/** What `extensions.code` of an error says. */
export type ErrorCode = keyof typeof STATUS_OF;
export const ERROR_CODES = Object.keys(STATUS_OF) as readonly ErrorCode[];

/** An error that the caller is told about as it stands. */
export class ApiError extends GraphQLError {
  /**
   * @param details further members of `extensions`
   * @param status HTTP status of a request that got no further, where it is not that of the code
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    readonly status: number = STATUS_OF[code],
  ) {
    super(message, { extensions: { ...details, code } });
  }
}

/** After so many seconds a client that was turned away may ask again, unless its error says otherwise. */
const RETRY_AFTER_S = 2;

/** The same of an error, as a header has it. */
export function retryAfter(error: Pick<GraphQLError, 'extensions'> | undefined): string {
  const seconds = error?.extensions['retryAfter'];
  return String(typeof seconds === 'number' ? seconds : RETRY_AFTER_S);
}

/** The caller asked for something that cannot be answered as asked. */
export function badUserInput(message: string): ApiError {
  return new ApiError('BAD_USER_INPUT', message);
}

/**
 * Does something with what the caller gave, who is told as it stands what is wrong with it.
 * @throws ApiError BAD_USER_INPUT where that was a UserError
 */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof UnknownName) throw error;
    throw badUserInput(`${error.message} ${error.remedy}`);
  }
}

const UNAVAILABLE_TEXT = 'The database cannot be reached at the moment; ask again later.';
/** What the pool and the driver say without a code when the server is away. */
const AWAY =
  /^Connection terminated|^The database did not answer for |timeout exceeded when trying to connect|not Connected|is not connected|Client has encountered a connection error/i;
/** Classes and codes of Postgres errors, and of sockets, that mean: not now. */
const AWAY_CODES =
  /^(08...|57P0[1-5]|53300|25006|ECONN.*|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
const QUERY_CANCELED = '57014';
const INVALID_TEXT = '22021';
const INVALID_TIME = /^2200[78]$/;

const CODE_OF_REFUSAL = {
  FULL: 'RATE_LIMITED',
  AWAY: 'UNAVAILABLE',
  OVER: 'UNAVAILABLE',
  LARGE: 'TOO_EXPENSIVE',
} as const satisfies Record<RefusalKind, ErrorCode>;

/** Turns what a resolver or the database threw into what the caller may see. Undefined: it is none of what is known. */
export function toApiError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof OtherRules) {
    return new ApiError(
      'UNAVAILABLE',
      'The read models are being rebuilt by a new release; ask again later.',
    );
  }
  if (thrown instanceof UnknownName) return new ApiError('NOT_FOUND', `${thrown.message} ${thrown.remedy}`);
  if (thrown instanceof ReadFault) {
    return new ApiError(thrown.kind === 'BAD_INPUT' ? 'BAD_USER_INPUT' : 'TOO_EXPENSIVE', thrown.message);
  }
  if (thrown instanceof ReadRefused) {
    return new ApiError(CODE_OF_REFUSAL[thrown.kind], thrown.message);
  }
  if (hasLostRace(thrown)) {
    return new ApiError(
      'UNAVAILABLE',
      'The database gave way to what it was writing; ask again in a moment.',
    );
  }
  const code = codeOf(thrown) ?? '';
  if (code === QUERY_CANCELED) {
    return new ApiError(
      'TOO_EXPENSIVE',
      'The database took too long over this; narrow it by time or by node.',
    );
  }
  if (code === INVALID_TEXT) return badUserInput('A text holds U+0000, which no recorded text does.');
  if (INVALID_TIME.test(code)) return badUserInput('A time lies beyond what the database can hold.');
  if (AWAY_CODES.test(code) || AWAY.test(messageOf(thrown)))
    return new ApiError('UNAVAILABLE', UNAVAILABLE_TEXT);
  return undefined;
}
