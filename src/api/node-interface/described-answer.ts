import { Described, ERROR_REFERENCE, type Description, type Schema } from '../openapi/described.js';
import { SHAPES } from './node-question.js';
import { NEXT_BEFORE, PROVENANCE_HEADERS } from './node-answer.js';

const QUERY = {
  at: 'the moment of the query, ISO 8601 with a zone; the last known moment if left out',
  shape: {
    about:
      'names, encodings and statuses of the answer: `ev-node`, the default, as the real node has them; `spec`, as the specification has them',
    enum: SHAPES.map((shape) => shape.toLowerCase()),
  },
} satisfies Description['query'];

const [PROVEN, AS_OF, MISSING] = PROVENANCE_HEADERS;
const HEADERS: Readonly<Record<string, { about: string; schema: Schema }>> = {
  [PROVEN]: {
    about:
      'Whether it is proven that the node gave this answer; without `at`, at the time of x-hindsight-as-of.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  [AS_OF]: {
    about: 'Time of the poll that the answer rests on; absent without a poll.',
    schema: { type: 'string', format: 'date-time' },
  },
  [MISSING]: {
    about:
      'Names, separated by commas, of what the node sent, or would have sent, and what is not on record. Absent if nothing is missing.',
    schema: { type: 'string' },
  },
};
const PAGE_HEADER = {
  [NEXT_BEFORE]: {
    about: 'The `before` of the next older rows, if there are any.',
    schema: { type: 'string' },
  },
} satisfies typeof HEADERS;

const REFUSALS = {
  400: 'One of our own parameters is wrong.',
  404: 'No node of this id was ever monitored; or, as the node itself reports: there is nothing here.',
  503: 'The answer is not on record and the node cannot be asked; or the node itself answered with this status at that moment; or the request must be retried.',
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
      'For the node of the setting `defaultNode`, the same route is also served at the root, except `/health/…`.',
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
