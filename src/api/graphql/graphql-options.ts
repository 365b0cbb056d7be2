import { Injectable } from '@nestjs/common';
import type { GqlOptionsFactory } from '@nestjs/graphql';
import type { MercuriusDriverConfig } from '@nestjs/mercurius';
import { Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { MercuriusContext } from 'mercurius';
import { ReadRequest } from '../../platform/reads/read-request.js';
import { ApiKeys } from '../api-key.js';
import { ASK_AGAIN, badUserInput, formatErrors, type FormattedErrors } from '../errors.js';
import { ReplicaWatch } from '../replica/replica-watch.js';
import type { ApiContext } from './api-context.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { BODY_LIMIT, COST_LIMIT, DEPTH_LIMIT, requireAffordable, TOKEN_LIMIT } from './query-cost.js';
import { stringifyWithRaw } from './raw-json.js';
import { RequestLoadersFactory } from './request-loaders.js';

declare module 'mercurius' {
  interface MercuriusContext extends ApiContext {}
}

/** Text that JSON.parse may take: mercurius would try it as a syntax tree, past the limit of tokens. */
const LOOKS_LIKE_JSON = /^\s*(?:\{\s*["}]|[["\d-]|(?:true|false|null)\s*$)/;

/** After so many seconds a client that was turned away may ask again. */
const RETRY_AFTER_S = 2;

/** How GraphQL is served: limits, errors, loaders. */
@Injectable()
export class GraphqlOptions implements GqlOptionsFactory<MercuriusDriverConfig> {
  constructor(
    private readonly keys: ApiKeys,
    private readonly loaders: RequestLoadersFactory,
    private readonly replica: ReplicaWatch,
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
        reply.serializer(stringifyWithRaw);
        return { loaders: this.loaders.create(), replica: this.replica.getState() };
      },
      errorFormatter: (execution, context) => tellWhen(formatErrors(execution), context),
      hooks: { preParsing: refuseSyntaxTrees, preExecution, onResolution: tellBeside },
      additionalRouteOptions: {
        bodyLimit: BODY_LIMIT,
        // Without mercurius' response schema, which would print the indexes of an error's path as strings.
        schema: {},
        // Before the body is read.
        preParsing: async (request: HttpRequest) => this.keys.require(request),
        preHandler: [async (request: HttpRequest) => requireQueryBody(request), readWhileAsked],
      },
    };
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

/** Checks the cost. What is compiled is kept by the text alone, so a text with several operations is not compiled. */
async function preExecution(
  schema: GraphQLSchema,
  document: DocumentNode,
  context: MercuriusContext,
  variables: Record<string, unknown> | undefined | null,
): Promise<{ document?: DocumentNode }> {
  const operationName = readOperationName(context.reply?.request);
  context.cost = requireAffordable({ schema, document, variables: variables ?? {}, operationName });
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  return operations.length > 1 ? { document: { ...document } } : {};
}

function readOperationName(request: HttpRequest | undefined): string | undefined {
  const source = (request?.method === 'GET' ? request.query : request?.body) as
    { operationName?: unknown } | undefined;
  return typeof source?.operationName === 'string' ? source.operationName : undefined;
}

/** What is told of every answer beside its data: the cost, and how far the replica is. */
async function tellBeside(
  execution: { extensions?: Record<string, unknown> },
  context: MercuriusContext,
): Promise<void> {
  const replica = await context.replica;
  execution.extensions = {
    ...execution.extensions,
    ...(context.cost !== undefined && { cost: { requested: context.cost, limit: COST_LIMIT } }),
    ...(replica && { replica }),
  };
}

/** What is read for a request ends with it: when it is answered, or its client has left. */
function readWhileAsked(_request: HttpRequest, { raw }: HttpReply, done: () => void): void {
  const reading = new ReadRequest();
  const { socket } = raw;
  const end = (): void => {
    reading.end();
    socket?.off('close', end);
  };
  raw.once('close', end);
  // A request behind another one of its connection learns only from there that the client has left.
  socket?.once('close', end);
  if (socket?.destroyed) end();
  reading.run(done);
}

/** Tells clients that may ask again when. */
function tellWhen(errors: FormattedErrors, context: Partial<MercuriusContext> | undefined): FormattedErrors {
  if (ASK_AGAIN.has(errors.statusCode)) context?.reply?.header('retry-after', RETRY_AFTER_S);
  return errors;
}
