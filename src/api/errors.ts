import { Logger } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { hasLostRace } from '../platform/database.js';
import { codeOf, messageOf } from '../platform/errors.js';
import { ReadRefused } from '../platform/reads/read-refused.js';
import { OtherRules } from '../projections/projection.js';

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

/** An error that the caller is told about as it stands. */
export class ApiError extends GraphQLError {
  /** @param details further members of `extensions` */
  constructor(
    readonly code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message, { extensions: { ...details, code } });
  }
}

/** The caller asked for something that cannot be answered as asked. */
export function badUserInput(message: string): ApiError {
  return new ApiError('BAD_USER_INPUT', message);
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
const BODY_TOO_LARGE = 413;
const INVALID_TIME = /^2200[78]$/;

/** Turns whatever was thrown into what the caller may see. Undefined: it is our own failure. */
function toApiError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof OtherRules) {
    return new ApiError(
      'UNAVAILABLE',
      'The read models are being rebuilt by a new release; ask again later.',
    );
  }
  if (thrown instanceof ReadRefused) {
    return new ApiError(thrown.kind === 'FULL' ? 'RATE_LIMITED' : 'UNAVAILABLE', thrown.message);
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

/** The part of an execution's result that errors are made from. */
export interface FailedExecution {
  readonly data?: unknown;
  readonly errors?: readonly Error[];
}

/** What mercurius sends. */
export interface FormattedErrors {
  readonly statusCode: number;
  readonly response: { readonly data: Record<string, unknown> | null; readonly errors: GraphQLError[] };
}

/** What the parser, the validator and mercurius say of a query beyond their limits. */
const BEYOND_LIMITS =
  /^Syntax Error: Document contains more that|query depth .* exceeds|Maximum introspection depth/;

const logger = new Logger('GraphQL');

/**
 * Gives every error one of the contract's codes. Of our own failures the caller learns only that they happened;
 * the log has the rest.
 *
 * The HTTP status is 200 as soon as the query was executed, whatever came of it, except when the database was away, or
 * had too much to do: then a client should know without reading the body that asking again may help.
 */
export function formatErrors(execution: FailedExecution): FormattedErrors {
  const errors = (execution.errors ?? []).flatMap(unwrap).map(toReported);
  const data = (execution.data ?? null) as Record<string, unknown> | null;
  return { statusCode: statusOf(data, errors), response: { data, errors } };
}

function statusOf(data: unknown, errors: readonly GraphQLError[]): number {
  if (data !== null) return 200;
  const first = errors[0];
  const code = (first?.extensions['code'] ?? 'INTERNAL') as ErrorCode;
  return first?.path === undefined || ASK_AGAIN.has(STATUS_OF[code]) ? STATUS_OF[code] : 200;
}

/** Errors of parsing and validation arrive as one error that holds them. */
function unwrap(error: Error): readonly Error[] {
  const inner = error instanceof GraphQLError ? error.originalError : error;
  const parts = inner !== undefined && 'errors' in inner ? inner.errors : undefined;
  return Array.isArray(parts) && parts.length > 0 ? (parts as Error[]) : [error];
}

function toReported(error: Error): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  const cause = located?.originalError ?? error;
  const known = toApiError(cause) ?? toRequestError(error, cause);
  if (known === undefined) logger.error(messageOf(cause), cause.stack);
  return new GraphQLError(known?.message ?? 'Something went wrong on our side; the log says what.', {
    extensions: known?.extensions ?? { code: 'INTERNAL' },
    ...(located?.path !== undefined && { path: located.path }),
    ...(located?.nodes !== undefined && { nodes: located.nodes }),
    ...(located?.source !== undefined && { source: located.source }),
    ...(located?.positions !== undefined && { positions: located.positions }),
  });
}

/** Errors in the request itself: syntax, validation, variables, the HTTP body. */
function toRequestError(error: Error, cause: Error): ApiError | undefined {
  if (BEYOND_LIMITS.test(error.message)) return new ApiError('TOO_EXPENSIVE', error.message);
  // The parser goes one call deeper for each level.
  if (cause instanceof RangeError && /call stack/.test(cause.message)) {
    return new ApiError('TOO_EXPENSIVE', 'The query is nested too deeply.');
  }
  if (error instanceof GraphQLError && error.path === undefined && cause instanceof GraphQLError) {
    return badUserInput(error.message);
  }
  const status = 'statusCode' in cause ? cause.statusCode : undefined;
  if (status === BODY_TOO_LARGE) return new ApiError('TOO_EXPENSIVE', cause.message);
  return typeof status === 'number' && status >= 400 && status < 500
    ? badUserInput(cause.message)
    : undefined;
}
