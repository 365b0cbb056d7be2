import { HttpException, Inject, Injectable } from '@nestjs/common';
import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { codeOf, messageOf } from '../../platform/errors.js';
import { RareLog } from '../../platform/rare-log.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ReadRefused } from '../../platform/reads/read-refused.js';
import { ApiError, ASK_AGAIN, badUserInput, toApiError } from '../errors.js';
import { RequestMetrics } from './request-metrics.js';

/** The part of an execution's result that errors are made from. */
export interface FailedExecution {
  readonly data?: unknown;
  readonly errors?: readonly Error[];
}

/** The error response that mercurius sends. */
export interface FormattedErrors {
  readonly statusCode: number;
  readonly response: { readonly data: Record<string, unknown> | null; readonly errors: GraphQLError[] };
}

/** Messages of the parser, the validator and mercurius about queries beyond their limits. */
const BEYOND_LIMITS =
  /^Syntax Error: Document contains more that|query depth .* exceeds|Maximum introspection depth/;
const BODY_TOO_LARGE = 413;
const NOT_FOUND = 404;
/** The error code of a stream that closed before it was read completely. When we close one ourselves, we give a reason. */
const NOT_READ = 'ERR_STREAM_PREMATURE_CLOSE';

/**
 * Maps every error to one of the codes of the API. All errors of the API pass here before anything is logged: client errors are
 * not logged. Of our own failures the client learns only that they happened; the log has the details.
 */
@Injectable()
export class ErrorMapper {
  private readonly complaints: RareLog;

  constructor(
    @Inject(API_OPTIONS) { clock, logger }: ApiOptions,
    private readonly metrics: RequestMetrics,
  ) {
    this.complaints = new RareLog(clock, logger);
  }

  /** The error for the client. An error that was mapped before is returned unchanged and not logged again. */
  tell(thrown: unknown): ApiError {
    const cause = (thrown instanceof GraphQLError && thrown.originalError) || thrown;
    const known = cause instanceof ApiError ? cause : (toRequestError(thrown, cause) ?? toApiError(cause));
    if (known === undefined) {
      this.complaints.error(cause, 'a request failed on our side');
      return new ApiError('INTERNAL', 'Internal error; the log of the server has the details.');
    }
    // A client that left and a shutdown are not worth a warning.
    const isOver = cause instanceof ReadRefused && cause.kind === 'OVER';
    if (known.code === 'UNAVAILABLE' && known !== cause && !isOver) {
      this.complaints.warn(cause, 'a request could not be answered');
    }
    return known;
  }

  /**
   * Maps the errors of a GraphQL response. The HTTP status is 200 as soon as the query was executed, whatever the result. It
   * differs when the database was unavailable for a part of it, or the server was too busy, so that clients know without reading
   * the body that a retry may help.
   */
  format(execution: FailedExecution): FormattedErrors {
    const failures = (execution.errors ?? []).flatMap(unwrap).map((error) => ({
      known: this.tell(error),
      located: error instanceof GraphQLError ? error : undefined,
    }));
    for (const { known } of failures) this.metrics.failed(known.code);
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

/** Errors of parsing and validation arrive wrapped in one error. */
function unwrap(error: Error): readonly Error[] {
  const inner = error instanceof GraphQLError ? error.originalError : error;
  const parts = inner !== undefined && 'errors' in inner ? inner.errors : undefined;
  return Array.isArray(parts) && parts.length > 0 ? (parts as Error[]) : [error];
}

function locate({ message, extensions }: ApiError, located: GraphQLError | undefined): GraphQLError {
  const { path, nodes, source, positions }: GraphQLErrorOptions = located ?? {};
  return new GraphQLError(message, { extensions, path, nodes, source, positions });
}

/** Maps errors in the request itself: its HTTP, body, syntax, validation or variables. */
function toRequestError(thrown: unknown, cause: unknown): ApiError | undefined {
  const text = messageOf(thrown);
  if (BEYOND_LIMITS.test(text)) return new ApiError('TOO_EXPENSIVE', text);
  // The parser recurses once per level.
  if (cause instanceof RangeError && /call stack/.test(cause.message)) {
    return new ApiError('TOO_EXPENSIVE', 'The query is nested too deeply.');
  }
  if (thrown instanceof GraphQLError && thrown.path === undefined && cause instanceof GraphQLError) {
    return badUserInput(text);
  }
  return toHttpError(cause);
}

/** Maps an error of the web server about a request: its body was invalid, or its client left before the response. */
function toHttpError(cause: unknown): ApiError | undefined {
  if (codeOf(cause) === NOT_READ) return badUserInput('The client did not wait for the answer.');
  const statusCode =
    cause instanceof HttpException
      ? cause.getStatus()
      : (cause as { statusCode?: unknown } | null)?.statusCode;
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode >= 500) return undefined;
  const text = messageOf(cause);
  if (statusCode === BODY_TOO_LARGE) return new ApiError('TOO_EXPENSIVE', text, {}, statusCode);
  if (statusCode === NOT_FOUND) return new ApiError('NOT_FOUND', text);
  return new ApiError('BAD_USER_INPUT', text, {}, statusCode);
}
