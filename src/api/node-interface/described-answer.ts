import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Described, type Description } from '../openapi/described.js';

const QUERY = {
  at: 'the moment that is asked about, ISO 8601 with a zone; the last that is known when left out',
  shape: '`ev-node` (the usual one) or `spec`: whose names, encodings and statuses',
};

const HEADERS =
  'The header `x-hindsight-proven` says whether the node is proven to have answered so, `x-hindsight-as-of` which look that rests on, ' +
  '`x-hindsight-missing` what the node told and is not on record. For the node of the setting `defaultNode` the same stands at the root.';

interface DescribedAnswerOf extends Pick<Description, 'summary' | 'answer' | 'parts'> {
  readonly type?: string;
  /** Parameters beside the common ones. */
  readonly query?: Readonly<Record<string, string>>;
}

/** Enters a route of a node's own interface in the OpenAPI document. */
export function DescribedAnswer({
  type = 'application/json',
  query = {},
  parts,
  ...rest
}: DescribedAnswerOf): MethodDecorator {
  const schema = { type: type === 'application/json' ? ('object' as const) : ('string' as const) };
  return applyDecorators(
    Described({
      tag: 'Nodes',
      description: HEADERS,
      type,
      schema,
      parts: { id: 'Id of the node.', ...parts },
      isKeyed: true,
      ...rest,
    }),
    ...Object.entries({ ...QUERY, ...query }).map(([name, description]) =>
      ApiQuery({ name, description, required: false, schema: { type: 'string' } }),
    ),
  );
}
