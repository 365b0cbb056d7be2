import {
  getNullableType,
  getOperationAST,
  isListType,
  Kind,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity';
import type { Nanos } from '../../domain/time.js';
import { ApiError, badUserInput } from '../errors.js';
import { COST_OF_QUERY, declaredCost } from './field-cost.js';

/**
 * The limit of a request's cost; aliases add up. A value of a row costs 1. A long text costs more: by its bytes, or by the work
 * of looking it up in the log. A list costs its maximum number of rows times their values. Each database query adds a little.
 *
 * A unit is 0.5 to 1.5 microseconds of this process and at most 8 bytes of the response, as measured on two slow cores. A report
 * of 10,000 rows costs 840,000 with one field (0.4 to 1.1 s, 0.4 MB). With all fields it costs 1,800,000 (1 to 3 s, 14 MB). Four
 * clients that repeat this report continuously grow a process from 170 MB to 460 MB.
 *
 * One such report is within the limit. A page of 1,000 submissions with all their fields, once as `nodes` and once as `edges`,
 * is too. Two of either exceed the limit.
 */
export const COST_LIMIT = 2_000_000;
/** From this cost on (0.2 s) an operation waits for one of the few slots for expensive operations. */
export const EXPENSIVE_FROM = 200_000;
/** Nested selections. The introspection query of common tools has 16. */
export const DEPTH_LIMIT = 20;
/** Tokens of a query's text, which also bounds aliases. */
export const TOKEN_LIMIT = 2_000;
/** Bytes of a request's body. */
export const BODY_LIMIT = 100_000;

/** The cost of a row that is returned as it was read. */
const COST_OF_ROW = 10;
/** Assumed length of a list in introspection: low, as real lists are short, but enough to make nesting expensive. */
const ROWS_OF_INTROSPECTION = 5;

/** An operation whose cost is computed before it runs. */
export interface CostedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | undefined;
  readonly now: Nanos;
  /** When the record begins. When left out, a query without times has its maximum cost. */
  readonly recordFrom?: Nanos | undefined;
}

/**
 * The cost of an operation.
 * @throws ApiError TOO_EXPENSIVE when it is over the limit, BAD_USER_INPUT when the operation cannot be determined
 */
export function requireAffordable(request: CostedOperation): number {
  const dearest: Dearest = { cost: 0, name: '', remedy: undefined };
  const cost = computeCost(request, dearest);
  if (cost <= COST_LIMIT) return cost;
  const { name, remedy } = dearest;
  const advice = remedy
    ? `Most of it is \`${name}\`: ${remedy}.`
    : 'Request fewer rows or fewer fields at once.';
  throw new ApiError('TOO_EXPENSIVE', `This query costs ${cost}; the limit is ${COST_LIMIT}. ${advice}`, {
    cost,
    limit: COST_LIMIT,
  });
}

/** The most expensive field so far. */
interface Dearest {
  cost: number;
  name: string;
  remedy: string | undefined;
}

function computeCost(
  { schema, document, variables, operationName, now, recordFrom }: CostedOperation,
  dearest: Dearest,
): number {
  const operation = getOperationAST(document, operationName || undefined);
  if (!operation) {
    throw badUserInput(
      operationName
        ? `There is no operation named ${JSON.stringify(operationName)} in the query.`
        : 'Name one of the operations in the query by `operationName`.',
    );
  }
  const definitions = document.definitions.filter(
    (definition) => definition.kind !== Kind.OPERATION_DEFINITION || definition === operation,
  );
  try {
    return getComplexity({
      schema,
      query: { ...document, definitions },
      variables,
      estimators: [estimateField],
      context: { now, recordFrom, dearest },
    });
  } catch (error) {
    // The library has only this limit of its own; everything else it throws is about the variables.
    const message = error instanceof Error ? error.message : String(error);
    throw message.includes('number of nodes')
      ? new ApiError('TOO_EXPENSIVE', 'This query selects too many fields.', { limit: COST_LIMIT })
      : badUserInput(message);
  }
}

function estimateField({ type, field, args, childComplexity, context }: ComplexityEstimatorArgs): number {
  if (type.name.startsWith('__') || field.name.startsWith('__')) {
    return 1 + childComplexity * (isListType(getNullableType(field.type)) ? ROWS_OF_INTROSPECTION : 1);
  }
  const declared = declaredCost(field.extensions);
  if (declared !== undefined) {
    const {
      fixed,
      rows,
      perRow = COST_OF_ROW,
      remedy,
    } = declared(args, context?.['now'] as Nanos, context?.['recordFrom'] as Nanos | undefined);
    const cost = fixed + rows * (perRow + childComplexity);
    const dearest = context?.['dearest'] as Dearest;
    if (cost > dearest.cost) Object.assign(dearest, { cost, name: field.name, remedy });
    return cost;
  }
  const isQuery = type.name === 'Query' || type.name === 'Mutation';
  return Number(field.extensions['complexity'] ?? (isQuery ? COST_OF_QUERY : 1)) + childComplexity;
}
