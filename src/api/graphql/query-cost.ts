import { getNullableType, isListType, Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { SECOND_NS, type Nanos } from '../../domain/time.js';
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

/** A known cost is reused for so long where `from` or `to` is left out. */
const SAME_COST_NS = 10n * SECOND_NS;
/** Characters of a cache key; costs with a longer key are not cached. */
const LONGEST_KEPT = 1_000;

/** The cost of each document with its last variables. */
const costs = new WeakMap<DocumentNode, { readonly key: string; readonly cost: number }>();

/**
 * The cost of an operation. Dashboards repeat the same queries: the cost is cached for a document with the same variables as last
 * time.
 * @throws ApiError TOO_EXPENSIVE when it is over the limit, BAD_USER_INPUT when the operation cannot be determined
 */
export function requireAffordable(request: CostedOperation): number {
  const { document } = request;
  const key = nameOf(request);
  const known = costs.get(document);
  if (known !== undefined && known.key === key) return known.cost;
  const dearest: Dearest = { cost: 0, name: '', remedy: undefined };
  const cost = computeCost(request, dearest);
  if (cost > COST_LIMIT) {
    const { name, remedy } = dearest;
    const advice = remedy
      ? `Most of it is \`${name}\`: ${remedy}.`
      : 'Request fewer rows or fewer fields at once.';
    throw new ApiError('TOO_EXPENSIVE', `This query costs ${cost}; the limit is ${COST_LIMIT}. ${advice}`, {
      cost,
      limit: COST_LIMIT,
    });
  }
  if (key !== undefined && key.length <= LONGEST_KEPT) costs.set(document, { key, cost });
  return cost;
}

/** The cache key of a request; undefined for variables that cannot be printed. */
function nameOf({ operationName, variables, now }: CostedOperation): string | undefined {
  try {
    return JSON.stringify([operationName, variables, String(now / SAME_COST_NS)]);
  } catch {
    // Nested more deeply than the engine can print: no operation can declare such a variable, so it is ignored.
    return undefined;
  }
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
  const query = {
    ...document,
    definitions: document.definitions.filter((definition) => isWanted(definition, operationName)),
  };
  if (!query.definitions.some((definition) => definition.kind === Kind.OPERATION_DEFINITION)) {
    throw badUserInput(`There is no operation named ${JSON.stringify(operationName)} in the query.`);
  }
  try {
    return getComplexity({
      schema,
      query,
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
