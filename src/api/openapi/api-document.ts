import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES } from '../errors.js';
import { withExportPaths } from '../export/export-paths.js';
import { pathsAtRoot } from '../node-interface/root-paths.js';
import { ERROR_REFERENCE, TAGS, type PathOperation, type Paths, type Schema } from './described.js';

const ERROR: Schema = {
  type: 'object',
  description: 'Why a request was not answered.',
  required: ['errors'],
  properties: {
    data: { description: 'Null if nothing was answered.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message', 'extensions'],
        properties: {
          message: { type: 'string' },
          extensions: {
            type: 'object',
            required: ['code'],
            properties: { code: { type: 'string', enum: [...ERROR_CODES] } },
          },
        },
      },
    },
  },
};

/**
 * The OpenAPI document of all routes: those of controllers by their decorators, and GraphQL.
 * @param defaultNode the node whose own paths are also served at the root
 */
export function buildDocument(app: INestApplication, version: string, defaultNode?: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Hindsight')
    .setDescription(
      "The permanent record of a rollup's data availability. Most queries use GraphQL, whose schema describes itself.",
    )
    .setVersion(version)
    .addServer('/', 'The process that serves this document')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer' }, 'bearer')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'x-api-key');
  for (const [tag, about] of Object.entries(TAGS)) builder.addTag(tag, about);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
    autoTagControllers: false,
  });
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Error: ERROR },
  };
  document.paths = withExportPaths(document.paths);
  if (defaultNode !== undefined) Object.assign(document.paths, pathsAtRoot(document.paths, defaultNode));
  document.paths['/graphql'] = GRAPHQL;
  for (const { get, post } of Object.values(document.paths)) {
    // Without `security`, it would be unclear whether keys were forgotten.
    for (const operation of [get, post]) if (operation) operation.security ??= [];
  }
  return document;
}

const VARIABLES: Schema = { type: 'object', description: 'Values of the variables of the query.' };
const SECURITY: Record<string, string[]>[] = [{}, { bearer: [] }, { 'x-api-key': [] }];
const QUESTION_REFUSALS = {
  400: 'The query is invalid or too expensive.',
  401: 'A key is needed, or this key is unknown.',
  403: 'The key may not do this, the request names a host other than this computer, or a browser sends it for a page of another origin.',
  429: 'Too many queries; `retry-after` says when to retry.',
  503: 'The query cannot be answered at the moment; retry.',
};

/** @param refusals by status, in addition to those that both methods share */
function answersOf(refusals: Readonly<Record<number, string>>): PathOperation['responses'] {
  const answers = Object.entries({ ...QUESTION_REFUSALS, ...refusals }).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: ERROR_REFERENCE } } },
  ]);
  return {
    200: {
      description: '`data`, and `errors` if a part could not be answered.',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
    ...(Object.fromEntries(answers) as object),
  };
}

/** Described by hand, because no controller serves it. */
const GRAPHQL: Paths[string] = {
  post: {
    operationId: 'ask',
    tags: ['Questions'],
    summary: 'Query, or change something',
    description: 'GraphQL over HTTP. The schema answers introspection.',
    security: SECURITY,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['query'],
            properties: {
              query: { type: 'string' },
              operationName: { type: 'string' },
              variables: VARIABLES,
            },
          },
        },
      },
    },
    responses: answersOf({ 413: 'The body is too large.' }),
  },
  get: {
    operationId: 'askByAddress',
    tags: ['Questions'],
    summary: 'Query by URL alone',
    description:
      'Only queries. Needs one of two headers: `accept` with `application/graphql-response+json`, or a header that no page of another origin can send.',
    security: SECURITY,
    parameters: [
      { name: 'query', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'operationName', in: 'query', schema: { type: 'string' } },
      { name: 'variables', in: 'query', description: 'As JSON.', schema: { type: 'string' } },
      {
        name: 'graphql-require-preflight',
        in: 'header',
        description: 'Any value.',
        schema: { type: 'string' },
      },
    ],
    responses: answersOf({ 405: 'Changes need a POST.' }),
  },
};
