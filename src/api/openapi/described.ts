import { applyDecorators } from '@nestjs/common';
import {
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  ApiTags,
  type OpenAPIObject,
} from '@nestjs/swagger';

/** A JSON schema of OpenAPI. */
export type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

export type Paths = OpenAPIObject['paths'];
export type PathOperation = NonNullable<Paths[string]['get']>;

/** The groups of routes in the document. */
export const TAGS = {
  Questions: 'What is recorded',
  Nodes: "Nodes' own interface, from the record",
  Operations: 'State of the service',
  Pages: 'For people',
} as const;

/** The description of a route in the OpenAPI document. */
export interface Description {
  readonly tag: keyof typeof TAGS;
  /** In a few words. */
  readonly summary: string;
  readonly description?: string;
  /** Content type of the response; `answer` describes it. */
  readonly type: string;
  readonly answer: string;
  /** Any text when left out. */
  readonly schema?: Schema;
  /** Path parameters: descriptions by name. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Query parameters: descriptions by name. Each is optional; a list parameter repeats, or has commas. */
  readonly query?: Readonly<Record<string, string | { readonly about: string; readonly enum: string[] }>>;
  /** Response headers, by name. */
  readonly headers?: Readonly<Record<string, { readonly about: string; readonly schema: Schema }>>;
  /** Without a rate limit; false when left out. */
  readonly isUnlimited?: boolean;
  /** Pages of other origins may show it; false when left out. */
  readonly isShownElsewhere?: boolean;
  /** Needs a key where queries need one. */
  readonly isKeyed?: boolean;
  /** Responses of the same form with other statuses than 200: descriptions by status. */
  readonly alike?: Readonly<Record<number, string>>;
  /** Additional errors: descriptions by status. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Schema of all errors, by content type; our own error schema when left out. */
  readonly refusalContent?: Readonly<Record<string, { readonly schema: Schema | { readonly $ref: string } }>>;
}

/** Schema of all our errors. */
export const ERROR_REFERENCE = { $ref: '#/components/schemas/Error' };

const KEYED_REFUSALS = {
  401: 'A key is needed, or this key is unknown.',
  403: 'The request names a host other than this computer, or a browser sends it for a page of another origin.',
  503: 'The request cannot be answered at the moment; retry.',
};

/** Adds a route, with its responses and errors, to the OpenAPI document. */
export function Described(given: Description): MethodDecorator {
  const {
    tag,
    summary,
    description,
    type,
    answer,
    schema = { type: 'string' },
    parts = {},
    query = {},
    headers = {},
    isKeyed,
    alike,
    refusalContent = { 'application/json': { schema: ERROR_REFERENCE } },
  } = given;
  const content = { [type]: { schema } };
  const refusals = {
    400: 'This route does not take the request: for example, it has a body.',
    ...(!given.isShownElsewhere && { 403: 'A browser sends it for a page of another origin.' }),
    ...(isKeyed && KEYED_REFUSALS),
    ...(!given.isUnlimited && { 429: 'Too many requests; `retry-after` says when to retry.' }),
    ...given.refusals,
  };
  const described = Object.entries(headers).map(([name, { about, schema: form }]) => [
    name,
    { description: about, schema: form },
  ]);
  return applyDecorators(
    ApiTags(tag),
    ApiOperation({ summary, ...(description !== undefined && { description }) }),
    ApiResponse({ status: 200, description: answer, content, headers: Object.fromEntries(described) }),
    ...Object.entries(parts).map(([name, text]) =>
      ApiParam({ name, description: text, schema: { type: 'string' } }),
    ),
    ...Object.entries(query).map(([name, said]) => {
      const { about, ...form } = typeof said === 'string' ? { about: said } : said;
      return ApiQuery({ name, description: about, required: false, schema: { type: 'string', ...form } });
    }),
    ...Object.entries(alike ?? {}).map(([status, text]) =>
      ApiResponse({ status: Number(status), description: text, content }),
    ),
    ...Object.entries(refusals).map(([status, text]) =>
      ApiResponse({ status: Number(status), description: text, content: refusalContent }),
    ),
    ...(isKeyed ? [ApiSecurity({}), ApiSecurity('bearer'), ApiSecurity('x-api-key')] : []),
  );
}
