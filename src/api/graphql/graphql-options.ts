import { Inject, Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import { Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { MercuriusContext } from 'mercurius';
import { ApiKeys } from '../api-key.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput, formatErrors } from '../errors.js';
import { Admission, RETRY_AFTER_S } from './admission.js';
import type { ApiContext } from './api-context.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { Operation } from './operation.js';
import {
  BODY_LIMIT,
  COST_LIMIT,
  DEPTH_LIMIT,
  EXPENSIVE_FROM,
  requireAffordable,
  TOKEN_LIMIT,
} from './query-cost.js';
import { RequestLoadersFactory } from './request-loaders.js';

declare module 'mercurius' {
  interface MercuriusContext extends ApiContext {}
}

/** Text that JSON.parse may take: mercurius would try it as a syntax tree, past the limit of tokens. */
const LOOKS_LIKE_JSON = /^\s*(?:\{\s*["}]|[["\d-]|(?:true|false|null)\s*$)/;

/** How GraphQL is served: limits, errors, loaders. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<MercuriusDriverConfig> {
  constructor(
    private readonly keys: ApiKeys,
    private readonly loaders: RequestLoadersFactory,
    private readonly admission: Admission,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  createGqlOptions(): MercuriusDriverConfig {
    return {
      path: '/graphql',
      autoSchemaFile: true,
      sortSchema: true,
      introspection: true,
      graphiql: false,
      // Compiled at the second request with the same text, so that a query asked once costs no compilation.
      jit: 1,
      cache: 256,
      csrfPrevention: true,
      queryDepth: DEPTH_LIMIT,
      graphql: { parseOptions: { maxTokens: TOKEN_LIMIT } },
      context: (_request: HttpRequest, reply: HttpReply): ApiContext => {
        const operation = new Operation(reply, this.options.clock);
        reply.header('content-type', 'application/json; charset=utf-8');
        reply.serializer((payload) => operation.answer(payload));
        return { loaders: this.loaders.create(), operation };
      },
      errorFormatter: formatErrors,
      hooks: {
        preParsing: refuseSyntaxTrees,
        preExecution: this.admit.bind(this),
        onResolution: tellCost,
      },
      additionalRouteOptions: {
        bodyLimit: BODY_LIMIT,
        // Without mercurius' response schema, which would print the indexes of an error's path as strings.
        schema: {},
        // Before the body is read.
        preParsing: async (request: HttpRequest) => this.keys.require(request),
        preHandler: async (request: HttpRequest) => requireQueryBody(request),
      },
    };
  }

  /**
   * Checks the cost, and lets an expensive operation wait for its place. What is compiled is kept by the text alone, so a
   * text with several operations is not compiled.
   */
  private async admit(
    schema: GraphQLSchema,
    document: DocumentNode,
    context: MercuriusContext,
    variables: Record<string, unknown> | undefined | null,
  ): Promise<{ document?: DocumentNode }> {
    const operationName = readOperationName(context.reply?.request);
    const nowNs = BigInt(this.options.clock.now()) * 1_000_000n;
    context.cost = requireAffordable({ schema, document, variables: variables ?? {}, operationName, nowNs });
    if (context.cost >= EXPENSIVE_FROM) await this.waitForPlace(context, context.cost);
    const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    return operations.length > 1 ? { document: { ...document } } : {};
  }

  private async waitForPlace({ operation, reply }: MercuriusContext, cost: number): Promise<void> {
    try {
      await operation.enter(this.admission, cost);
    } catch (error) {
      if (error instanceof ApiError) void reply?.header('retry-after', String(RETRY_AFTER_S));
      throw error;
    }
  }
}

/** @throws ApiError BAD_USER_INPUT unless the request has the form of GraphQL over HTTP */
function requireQueryBody(request: HttpRequest): void {
  const body = request.method === 'GET' ? request.query : request.body;
  if (typeof body !== 'object' || body === null)
    throw badUserInput('Send a JSON object with the member `query`.');
  const { query, operationName, variables } = body as Record<string, unknown>;
  if (typeof query !== 'string' || query.trim() === '')
    throw badUserInput('`query` must be the text of a query.');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw badUserInput('`operationName` must be a string.');
  }
  const isObject = typeof variables === 'object' && !Array.isArray(variables);
  if (request.method !== 'GET' && variables !== undefined && !isObject) {
    throw badUserInput('`variables` must be an object.');
  }
}

async function refuseSyntaxTrees(_schema: GraphQLSchema, source: string): Promise<void> {
  if (LOOKS_LIKE_JSON.test(source)) throw badUserInput('`query` must be the text of a query.');
}

function readOperationName(request: HttpRequest | undefined): string | undefined {
  const source = (request?.method === 'GET' ? request.query : request?.body) as
    { operationName?: unknown } | undefined;
  return typeof source?.operationName === 'string' ? source.operationName : undefined;
}

async function tellCost(
  execution: { extensions?: Record<string, unknown> },
  context: MercuriusContext,
): Promise<void> {
  if (context.cost === undefined) return;
  execution.extensions = { ...execution.extensions, cost: { requested: context.cost, limit: COST_LIMIT } };
}
