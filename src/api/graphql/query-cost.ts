import { getNullableType, isListType, Kind, type DocumentNode, type GraphQLSchema } from 'graphql';
import { getComplexity, type ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { SECOND_NS, type Nanos } from '../../domain/time.js';
import { ApiError, badUserInput } from '../errors.js';
import { COST_OF_QUERY, declaredCost } from './field-cost.js';

/**
 * The limit of a request's cost; aliases add up. A value of a row costs 1. A long text costs more: by its bytes, or by the work of
 * looking it up in the log. A list costs its rows at most, times their values. Each question to the database adds a little.
 *
 * A unit is 0.5 to 1.5 microseconds of this process and at most 8 bytes of the answer, as measured on two slow cores. A
 * report of 10,000 rows costs 840,000 with one field (0.4 to 1.1 s, 0.4 MB). With all fields it costs 1,800,000 (1 to 3 s,
 * 14 MB). Four clients that ask for that over and over make a process of 170 MB one of 460 MB.
 *
 * Such a report fits. So does a page of 1,000 submissions with everything about them, once as `nodes` and once as `edges`.
 * Two of either do not fit.
 */
export const COST_LIMIT = 2_000_000;
/** From here on (0.2 s) an operation waits for one of the few places that there are for expensive ones. */
export const EXPENSIVE_FROM = 200_000;
/** Levels of selections. The introspection that tools send has 16. */
export const DEPTH_LIMIT = 20;
/** Tokens of a query's text, which also bounds aliases. */
export const TOKEN_LIMIT = 2_000;
/** Bytes of a request. */
export const BODY_LIMIT = 100_000;

/** Of a row that is answered as it was read. */
const COST_OF_ROW = 10;
/** Members of a list in introspection: low, as the real ones are few, but enough to make nesting expensive. */
const ROWS_OF_INTROSPECTION = 5;

/** The cost of an operation before it is executed. */
export interface CostRequest {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | undefined;
  readonly now: Nanos;
  /** When the record begins. Left out: so long ago that a question without times costs what it may cost at most. */
  readonly recordFrom?: Nanos | undefined;
}

/** Where `from` or `to` is left out, a cost is that of up to so long ago. */
const SAME_COST_NS = 10n * SECOND_NS;
/** Of longer ones the cost is computed each time: they are not kept. */
const LONGEST_KEPT = 1_000;

/** What a document cost when it was asked last. */
const costs = new WeakMap<DocumentNode, { readonly key: string; readonly cost: number }>();

/**
 * The cost of an operation. Dashboards ask the same over and over: of a document that is asked with the same variables as
 * before it is the cost of then.
 * @throws ApiError TOO_EXPENSIVE when it is over the limit, BAD_USER_INPUT when the operation cannot be told
 */
export function requireAffordable(request: CostRequest): number {
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
      : 'Ask for fewer rows or fewer fields at once.';
    throw new ApiError(
      'TOO_EXPENSIVE',
      `This query costs ${cost}, and ${COST_LIMIT} is the limit. ${advice}`,
      {
        cost,
        limit: COST_LIMIT,
      },
    );
  }
  if (key !== undefined && key.length <= LONGEST_KEPT) costs.set(document, { key, cost });
  return cost;
}

/** What a document is asked with; undefined of variables that nobody asks with twice. */
function nameOf({ operationName, variables, now }: CostRequest): string | undefined {
  try {
    return JSON.stringify([operationName, variables, String(now / SAME_COST_NS)]);
  } catch {
    // Nested more deeply than the engine can print: no operation can have declared it, so it is passed over.
    return undefined;
  }
}

/** The field that costs most so far. */
interface Dearest {
  cost: number;
  name: string;
  remedy: string | undefined;
}

function computeCost(
  { schema, document, variables, operationName, now, recordFrom }: CostRequest,
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
