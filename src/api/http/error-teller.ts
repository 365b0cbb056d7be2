import { HttpException, Inject, Injectable } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { codeOf, messageOf } from '../../platform/errors.js';
import { RareLog } from '../../platform/rare-log.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ReadRefused } from '../../platform/reads/read-refused.js';
import { ApiError, ASK_AGAIN, badUserInput, toApiError } from '../errors.js';

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
const BODY_TOO_LARGE = 413;
const NOT_FOUND = 404;
/** The code of a stream that ended before its reader had all of it. When we end one ourselves, we give a reason. */
const NOT_READ = 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Says in one of the contract's codes what went wrong. Every error of the API comes by here before anything is written
 * down: what a caller did wrong is no line in the log. Of our own failures the caller learns only that they happened; the
 * log has the rest.
 */
@Injectable()
export class ErrorTeller {
  private readonly complaints: RareLog;

  constructor(@Inject(API_OPTIONS) { clock, logger }: ApiOptions) {
    this.complaints = new RareLog(clock, logger);
  }

  /** What the caller is told. Told again, an error stays as it is and is not written again. */
  tell(thrown: unknown): ApiError {
    const cause = (thrown instanceof GraphQLError && thrown.originalError) || thrown;
    const known = cause instanceof ApiError ? cause : (toRequestError(thrown, cause) ?? toApiError(cause));
    if (known === undefined) {
      this.complaints.error(cause, 'a question failed on our side');
      return new ApiError('INTERNAL', 'Something went wrong on our side; the log says what.');
    }
    // Whose client has left is no trouble, nor is a stop.
    const isOver = cause instanceof ReadRefused && cause.kind === 'OVER';
    if (known.code === 'UNAVAILABLE' && known !== cause && !isOver) {
      this.complaints.warn(cause, 'a question could not be answered');
    }
    return known;
  }

  /**
   * The errors of a GraphQL answer. The HTTP status is 200 as soon as the query was executed, whatever came of it. It
   * is another when the database was away for a part of it, or we had too much to do. Then a client should know
   * without reading the body that asking again may help.
   */
  format(execution: FailedExecution): FormattedErrors {
    const failures = (execution.errors ?? [])
      .flatMap(unwrap)
      .map((error) => ({ known: this.tell(error), located: toLocated(error) }));
    const data = (execution.data ?? null) as Record<string, unknown> | null;
    const first = failures[0];
    const busy = failures.find(({ known }) => known.code === 'RATE_LIMITED');
    const isExecuted =
      data !== null || (first?.located?.path !== undefined && !ASK_AGAIN.has(first.known.status));
    return {
      statusCode: busy?.known.status ?? (isExecuted ? 200 : (first?.known.status ?? 500)),
      response: { data, errors: failures.map(({ known, located }) => locate(known, located)) },
    };
  }
}

/** Errors of parsing and validation arrive as one error that holds them. */
function unwrap(error: Error): readonly Error[] {
  const inner = error instanceof GraphQLError ? error.originalError : error;
  const parts = inner !== undefined && 'errors' in inner ? inner.errors : undefined;
  return Array.isArray(parts) && parts.length > 0 ? (parts as Error[]) : [error];
}

function toLocated(error: Error): GraphQLError | undefined {
  return error instanceof GraphQLError ? error : undefined;
}

function locate(known: ApiError, located: GraphQLError | undefined): GraphQLError {
  return new GraphQLError(known.message, {
    extensions: known.extensions,
    ...(located?.path !== undefined && { path: located.path }),
    ...(located?.nodes !== undefined && { nodes: located.nodes }),
    ...(located?.source !== undefined && { source: located.source }),
    ...(located?.positions !== undefined && { positions: located.positions }),
  });
}

/** Errors in the request itself: its HTTP, its body, syntax, validation, variables. */
function toRequestError(thrown: unknown, cause: unknown): ApiError | undefined {
  const text = messageOf(thrown);
  if (BEYOND_LIMITS.test(text)) return new ApiError('TOO_EXPENSIVE', text);
  // The parser goes one call deeper for each level.
  if (cause instanceof RangeError && /call stack/.test(cause.message)) {
    return new ApiError('TOO_EXPENSIVE', 'The query is nested too deeply.');
  }
  if (thrown instanceof GraphQLError && thrown.path === undefined && cause instanceof GraphQLError) {
    return badUserInput(text);
  }
  return toHttpError(cause);
}

/** The error that the web server raised about a request: its body was bad, or its client left before the answer. */
function toHttpError(cause: unknown): ApiError | undefined {
  if (codeOf(cause) === NOT_READ) return badUserInput('Nobody waited for the answer.');
  const statusCode = cause instanceof HttpException ? cause.getStatus() : statusCodeOf(cause);
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined;
  const text = messageOf(cause);
  if (statusCode === BODY_TOO_LARGE) return new ApiError('TOO_EXPENSIVE', text, {}, statusCode);
  if (statusCode === NOT_FOUND) return new ApiError('NOT_FOUND', text);
  return new ApiError('BAD_USER_INPUT', text, {}, statusCode);
}

function statusCodeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'statusCode' in thrown
    ? thrown.statusCode
    : undefined;
}
