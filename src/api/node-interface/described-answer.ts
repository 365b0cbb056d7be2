import { Described, ERROR_REFERENCE, type Description, type Schema } from '../openapi/described.js';
import { SHAPES } from './node-question.js';
import { NEXT_BEFORE, STANDING_HEADERS } from './node-answer.js';

const QUERY = {
  at: 'the moment that is asked about, ISO 8601 with a zone; the last that is known when left out',
  shape: {
    about:
      'whose names, encodings and statuses; `ev-node`, the usual one, are those of the real node, `spec` the specification’s',
    enum: SHAPES.map((shape) => shape.toLowerCase()),
  },
} satisfies Description['query'];

const [PROVEN, AS_OF, MISSING] = STANDING_HEADERS;
const HEADERS: Readonly<Record<string, { about: string; schema: Schema }>> = {
  [PROVEN]: {
    about: 'Whether it is proven that the node answered so; without `at`, at the time of x-hindsight-as-of.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  [AS_OF]: {
    about: 'The look that the answer rests on; left out without one.',
    schema: { type: 'string', format: 'date-time' },
  },
  [MISSING]: {
    about:
      'What the node told, or would have, and is not on record: names between commas. Left out where nothing is missing.',
    schema: { type: 'string' },
  },
};
const PAGE_HEADER = {
  [NEXT_BEFORE]: {
    about: 'The `before` of the next older rows, where there are any.',
    schema: { type: 'string' },
  },
} satisfies typeof HEADERS;

const REFUSALS = {
  400: 'A parameter of ours is wrong.',
  404: 'No node of this id was ever watched; or, as the node itself says it: there is nothing here.',
  503: 'It is not on record and the node cannot be asked; or the node itself said so at that moment; or ask again.',
};

/**
 * Errors in the form of nodes: a line of text, or a Connect error. For an invalid key or one of our own parameters, our own form.
 */
const REFUSAL_CONTENT = {
  'text/plain': { schema: { type: 'string' } },
  'application/json': {
    schema: {
      anyOf: [
        ERROR_REFERENCE,
        {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      ],
    },
  },
} satisfies Description['refusalContent'];

interface DescribedAnswerOf extends Pick<Description, 'summary' | 'answer' | 'parts' | 'query' | 'refusals'> {
  readonly type?: string;
  /** The response has pages. */
  readonly isPaged?: boolean;
}

/** Adds a route of a node's own interface to the OpenAPI document. */
export function DescribedAnswer({
  type = 'application/json',
  query = {},
  parts,
  refusals = {},
  isPaged = false,
  ...rest
}: DescribedAnswerOf): MethodDecorator {
  return Described({
    tag: 'Nodes',
    description:
      'For the node of the setting `defaultNode` the same stands at the root, but for `/health/…`.',
    type,
    schema: { type: type === 'application/json' ? 'object' : 'string' },
    parts: { id: 'Id of the node.', ...parts },
    query: { ...QUERY, ...query },
    headers: { ...HEADERS, ...(isPaged && PAGE_HEADER) },
    refusals: { ...REFUSALS, ...refusals },
    refusalContent: REFUSAL_CONTENT,
    isKeyed: true,
    ...rest,
  });
}
