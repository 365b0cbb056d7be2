import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { ApiError, badUserInput } from '../errors.js';
import { DEFAULT_PAGE, LARGEST_PAGE } from './connection.js';

/**
 * What a query may cost. A value of a row costs 1, one that must be looked up in the log more; a list costs its rows
 * times their values; a query of the database costs something even without rows. One page of 1,000 submissions with
 * everything about them, once as `nodes` and once as `edges`, fits.
 */
export const COST_LIMIT = 200_000;
/** Levels of selections. The introspection that tools send has 16. */
export const DEPTH_LIMIT = 20;
/** Tokens of a query's text, which also bounds aliases. */
export const TOKEN_LIMIT = 2_000;
/** Bytes of a request. */
export const BODY_LIMIT = 100_000;

const COST_OF_QUERY = 500;
/** Rows that a list without paging is taken to have. */
const ROWS_OF_LIST = 50;
/** Members of a list in introspection: low, as the real ones are few, but enough to make nesting expensive. */
const ROWS_OF_INTROSPECTION = 5;

/** The cost of an operation before it is executed. */
export interface CostRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | undefined;
}

/**
 * The cost of an operation.
 * @throws ApiError TOO_EXPENSIVE when it is over the limit, BAD_USER_INPUT when the operation cannot be told
 */
export function requireAffordable(request: CostRequest): number {
  const cost = computeCost(request);
  if (cost > COST_LIMIT) {
    throw new ApiError(
      'TOO_EXPENSIVE',
      `This query costs ${cost}, and ${COST_LIMIT} is the limit. Ask for fewer rows or fewer fields at once.`,
      { cost, limit: COST_LIMIT },
    );
  }
  return cost;
}

function computeCost({ schema, document, variables, operationName }: CostRequest): number {
  const query = {
    ...document,
    definitions: document.definitions.filter((definition) => isWanted(definition, operationName)),
  };
  if (!query.definitions.some((definition) => definition.kind === Kind.OPERATION_DEFINITION)) {
    throw badUserInput(`There is no operation named ${JSON.stringify(operationName)} in the query.`);
  }
  try {
    return getComplexity({ schema, query, variables, estimators: [estimateField] });
  } catch (error) {
    // The only limit that the library has of its own; everything else it throws is about the variables.
    const message = error instanceof Error ? error.message : String(error);
    throw message.includes('number of nodes')
      ? new ApiError('TOO_EXPENSIVE', 'This query selects too many fields.', { limit: COST_LIMIT })
      : badUserInput(message);
  }
}

function isWanted(
  definition: DocumentNode['definitions'][number],
  operationName: string | undefined,
): boolean {
  return (
    definition.kind !== Kind.OPERATION_DEFINITION ||
    !operationName ||
    definition.name?.value === operationName
  );
}

function estimateField({ type, field, args, childComplexity }: ComplexityEstimatorArgs): number {
  if (type.name.startsWith('__') || field.name.startsWith('__')) {
    return 1 + childComplexity * (isListType(getNullableType(field.type)) ? ROWS_OF_INTROSPECTION : 1);
  }
  const isQuery = type.name === 'Query' || type.name === 'Mutation';
  const own = Number(field.extensions['complexity'] ?? (isQuery ? COST_OF_QUERY : 1));
  if (!isCompositeType(getNamedType(field.type))) return own;
  if (!isQuery) return own + childComplexity;
  if (isListType(getNullableType(field.type))) return own + childComplexity * ROWS_OF_LIST;
  const size = Number(args['last'] ?? args['first'] ?? DEFAULT_PAGE);
  const isPaged = field.args.some((argument) => argument.name === 'first');
  return own + childComplexity * (isPaged ? Math.min(Math.max(size, 1), LARGEST_PAGE) : 1);
}
