import { Inject, Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import { type DocumentNode, getOperationAST, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import type { MercuriusContext } from 'mercurius';
import { millisToNanos } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, ASK_AGAIN, badUserInput, retryAfter } from '../errors.js';
import { readFor } from '../http/answer-pace.js';
import { ErrorMapper, type FormattedErrors } from '../http/error-mapper.js';
import { ApiKeys } from '../keys/api-keys.js';
import { ReplicaWatch } from '../replica/replica-watch.js';
import { UnreadWatch } from '../replica/unread-watch.js';
import { RecordBeginQuery } from '../statistics/record-begin.query.js';
import { Admission, Operation } from './operation.js';
import type { ApiContext } from './api-context.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { JoinedQueries } from './joined-queries.js';
import { withKnownNames } from './known-names.js';
import { withDescribedRoots, withPlainFields } from './plain-fields.js';
import {
  BODY_LIMIT,
  COST_LIMIT,
  type CostedOperation,
  DEPTH_LIMIT,
  requireAffordable,
  TOKEN_LIMIT,
} from './query-cost.js';
import {
  acceptsGraphql,
  GRAPHQL_TYPE,
  readQuestion,
  refuseForeignPages,
  requireQuestion,
  requireRecordableTexts,
} from './request-checks.js';
import { RequestLoadersFactory } from './request-loaders.js';

declare module 'mercurius' {
  interface MercuriusContext extends ApiContext {}
}

type RequestContext = ApiContext & Required<Pick<ApiContext, 'operation'>>;

/** Text that JSON.parse may accept: mercurius would treat it as a syntax tree and bypass the token limit. */
const LOOKS_LIKE_JSON = /^\s*(?:\{\s*["}]|[["\d-]|(?:true|false|null)\s*$)/;

/** Configures the GraphQL server: limits, errors, loaders. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<MercuriusDriverConfig> {
  constructor(
    private readonly keys: ApiKeys,
    private readonly loaders: RequestLoadersFactory,
    private readonly errors: ErrorMapper,
    private readonly replica: ReplicaWatch,
    private readonly unread: UnreadWatch,
    private readonly admission: Admission,
    private readonly joined: JoinedQueries,
    private readonly reads: ReadDatabase,
    private readonly recordBegin: RecordBeginQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'corsOrigins'>,
  ) {}

  createGqlOptions(): MercuriusDriverConfig {
    return {
      path: '/graphql',
      autoSchemaFile: true,
      sortSchema: true,
      // The check runs a full introspection query to validate the schema; tests compare the schema with its file instead.
      buildSchemaOptions: { skipCheck: true },
      transformSchema: (schema) => withKnownNames(withDescribedRoots(withPlainFields(schema)), this.reads),
      introspection: true,
      graphiql: false,
      // Compiled at the second request with the same text, so that a query sent only once costs no compilation.
      jit: 1,
      cache: 256,
      queryDepth: DEPTH_LIMIT,
      graphql: { parseOptions: { maxTokens: TOKEN_LIMIT } },
      context: (request: HttpRequest, reply: HttpReply): RequestContext => {
        const context = this.contextOf(request);
        reply.serializer((payload) => {
          const text = context.operation.answer(payload);
          this.joined.note(request, text, reply.statusCode === 200);
          return text;
        });
        if (acceptsGraphql(request.headers)) reply.header('content-type', `${GRAPHQL_TYPE}; charset=utf-8`);
        return context;
      },
      errorFormatter: (execution, context) => tellWhen(this.errors.format(execution), context),
      hooks: {
        preParsing: refuseSyntaxTrees,
        preExecution: this.admit.bind(this),
        onResolution: tellBeside,
      },
      additionalRouteOptions: {
        bodyLimit: BODY_LIMIT,
        // No response schema: mercurius' own would print the indexes of an error's path as strings.
        schema: {},
        // Runs before the body is read.
        preParsing: async (request: HttpRequest) => {
          // LiveConnections checks the handshake of a WebSocket.
          if (request.ws) return;
          refuseForeignPages(request, this.options.corsOrigins);
          this.keys.require(request);
        },
        // One hook with a callback: hooks with promises took a tenth of the time of a short query.
        preHandler: (request: HttpRequest, reply: HttpReply, done: () => void) => {
          if (request.ws) return done();
          requireQuestion(request, reply);
          // Reads for a request end when it is answered or its client has left.
          const run = (): void => readFor(reply.raw, this.reads).run(done);
          const answer = (text: string | undefined): void => {
            if (text === undefined) return run();
            const type = acceptsGraphql(request.headers) ? GRAPHQL_TYPE : 'application/json';
            reply.header('content-type', `${type}; charset=utf-8`).send(text);
          };
          if (!this.joined.join(request, reply, answer)) run();
        },
      },
    };
  }

  /** The context for the resolvers of one query. Must be called within the read request of the response. */
  contextOf(request: HttpRequest): RequestContext {
    return {
      loaders: this.loaders.create(),
      operation: new Operation(request),
      caller: request.caller,
      replica: this.replica.getState(),
      unread: this.unread.getState(),
    };
  }

  /**
   * Checks the texts and the cost, and admits the operation; an expensive operation waits for a free slot. Compiled queries are
   * cached by the text alone, so a text with several operations is not compiled.
   */
  private async admit(
    schema: GraphQLSchema,
    document: DocumentNode,
    context: MercuriusContext,
    variables: Record<string, unknown> | undefined | null,
  ): Promise<{ document?: DocumentNode }> {
    requireRecordableTexts(document, variables);
    const operationName = readOperationName(context.reply?.request);
    if (getOperationAST(document, operationName)?.operation === OperationTypeNode.SUBSCRIPTION)
      throw badUserInput('A subscription needs a WebSocket at this address, as of graphql-ws.');
    const now = millisToNanos(this.options.clock.now());
    const request = { schema, document, variables: variables ?? {}, operationName, now };
    context.cost = await this.findCost(request);
    await context.operation?.enter(this.admission, context.cost);
    // The state of unread events is from before the reads: events read in meanwhile only make the response better.
    await context.unread;
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    return operations.length > 1 ? { document: { ...document } } : {};
  }

  /**
   * @throws ApiError TOO_EXPENSIVE when the query costs too much for the record as it is, not only for the longest possible
   * record
   */
  private async findCost(request: CostedOperation): Promise<number> {
    try {
      return requireAffordable(request);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'TOO_EXPENSIVE')) throw error;
      const recordFrom = await this.recordBegin.find();
      if (recordFrom === undefined) throw error;
      return requireAffordable({ ...request, recordFrom });
    }
  }
}

async function refuseSyntaxTrees(_schema: GraphQLSchema, source: string): Promise<void> {
  if (LOOKS_LIKE_JSON.test(source)) throw badUserInput('`query` must be the text of a query.');
}

function readOperationName(request: HttpRequest | undefined): string | undefined {
  const question = (request && readQuestion(request)) as { operationName?: unknown } | undefined;
  return typeof question?.operationName === 'string' ? question.operationName : undefined;
}

/**
 * Adds the `extensions` of every response: its cost, the replica's position, and the events that the read models have not read.
 */
async function tellBeside(
  execution: { extensions?: Record<string, unknown> },
  context: MercuriusContext,
): Promise<void> {
  const [replica, unread] = await Promise.all([context.replica, context.unread]);
  execution.extensions = {
    ...execution.extensions,
    ...(context.cost !== undefined && { cost: { requested: context.cost, limit: COST_LIMIT } }),
    ...(replica && { replica }),
    ...(unread && { unread }),
  };
}

/** Sets `retry-after` where clients may retry. */
function tellWhen(errors: FormattedErrors, context: Partial<MercuriusContext> | undefined): FormattedErrors {
  if (ASK_AGAIN.has(errors.statusCode)) {
    context?.reply?.header('retry-after', retryAfter(errors.response.errors[0]));
  }
  return errors;
}
