import { GraphQLError } from 'graphql';
import { hasLostRace } from '../platform/lost-statements.js';
import { codeOf, messageOf, UserError } from '../platform/errors.js';
import { ReadRefused, type RefusalKind } from '../platform/reads/read-refused.js';
import { OtherRules } from '../projections/projection.js';
import { UnknownName } from '../statistics/read/known-names.query.js';
import { ReadFault } from '../statistics/read/plan/read-fault.js';

/** All codes that `extensions.code` of an error may have, with the HTTP status of a request that was refused for it. */
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

/** Statuses after which the same request may succeed later. */
export const ASK_AGAIN: ReadonlySet<number> = new Set([STATUS_OF.RATE_LIMITED, STATUS_OF.UNAVAILABLE]);

/** The values of `extensions.code`. */
export type ErrorCode = keyof typeof STATUS_OF;
export const ERROR_CODES = Object.keys(STATUS_OF) as readonly ErrorCode[];

/** An error whose message is sent to the caller as it is. */
export class ApiError extends GraphQLError {
  /**
   * @param details further members of `extensions`
   * @param status HTTP status of a refused request, if it is not the status of the code
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

/** A refused client may retry after this many seconds, unless its error names another time. */
const RETRY_AFTER_S = 2;

/** Value of the header `Retry-After` for an error. */
export function retryAfter(error: Pick<GraphQLError, 'extensions'> | undefined): string {
  const seconds = error?.extensions['retryAfter'];
  return String(typeof seconds === 'number' ? seconds : RETRY_AFTER_S);
}

export function badUserInput(message: string): ApiError {
  return new ApiError('BAD_USER_INPUT', message);
}

/** @param retryAfter seconds, where they are not those of every error */
export function tooMany(message: string, retryAfter?: number): ApiError {
  return new ApiError('RATE_LIMITED', message, retryAfter === undefined ? {} : { retryAfter });
}

/**
 * Does work with input of the caller and reports to the caller what is wrong with it.
 * @throws ApiError BAD_USER_INPUT instead of a UserError
 */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof UnknownName) throw error;
    throw badUserInput(`${error.message} ${error.remedy}`);
  }
}

const UNAVAILABLE_TEXT = 'The database cannot be reached; try again later.';
/** Errors without a code, from the pool and the driver, when the server cannot be reached. */
const AWAY =
  /^Connection terminated|^The database did not answer for |timeout exceeded when trying to connect|not Connected|is not connected|Client has encountered a connection error/i;
/** Classes and codes of Postgres errors, and of socket errors, that mean: try again later. */
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

/** Maps what a resolver or the database threw to an error that the caller may see. Undefined: unknown error. */
export function toApiError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof OtherRules) {
    return new ApiError(
      'UNAVAILABLE',
      'The read models are being rebuilt by a new release; try again later.',
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
      'The query conflicted with a write in the database; try again in a moment.',
    );
  }
  const code = codeOf(thrown) ?? '';
  if (code === QUERY_CANCELED) {
    return new ApiError('TOO_EXPENSIVE', 'The query took too long; narrow it by time or by node.');
  }
  if (code === INVALID_TEXT) return badUserInput('A text contains U+0000, which no recorded text contains.');
  if (INVALID_TIME.test(code)) return badUserInput('A time is outside of the range of the database.');
  if (AWAY_CODES.test(code) || AWAY.test(messageOf(thrown)))
    return new ApiError('UNAVAILABLE', UNAVAILABLE_TEXT);
  return undefined;
}
