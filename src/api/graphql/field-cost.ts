import { Extensions } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { DEFAULT_PAGE, LARGEST_PAGE } from './connection.js';

/** The cost of a field of Query or Mutation, without the values that are selected of its rows. */
export interface FieldCost {
  /** Applies however little the field returns. */
  readonly fixed: number;
  /** Upper bound of the rows returned. */
  readonly rows: number;
  /**
   * The cost of each row besides its values: reading it, and keeping it in memory until the response is sent. 10 when left out.
   */
  readonly perRow?: number;
  /** How to make the query cheaper, as the end of a sentence; left out where the advice is to ask for fewer rows or fields. */
  readonly remedy?: string;
}

/**
 * Computes the cost from the arguments of the field; `now` replaces times that are left out.
 * @param recordFrom when the record begins, where that is known
 */
type CostOf<Args> = (args: Args, now: Nanos, recordFrom?: Nanos) => FieldCost;

const NAME = 'cost';

/** The cost of one database query, however little it returns. */
export const COST_OF_QUERY = 5_000;

/** Declares the cost of a field. Every field that returns a list needs it. */
export function Costs<Args>(cost: CostOf<Args>): MethodDecorator {
  return Extensions({ [NAME]: cost });
}

/**
 * Like {@link Costs}, for a list field of a row.
 * @param rows upper bound of the rows returned
 */
export function RowsOf(rows: number): PropertyDecorator {
  return Extensions({ [NAME]: () => ({ fixed: 0, rows }) });
}

/** Undefined where no cost was declared. */
export function declaredCost(extensions: Readonly<Record<string, unknown>>): CostOf<unknown> | undefined {
  return extensions[NAME] as CostOf<unknown> | undefined;
}

/**
 * The cost of a list without pages, whose rows are created by users.
 * @param rows assumed number of rows
 */
export function listOf(rows: number): () => FieldCost {
  return () => ({ fixed: COST_OF_QUERY, rows });
}

/** The cost of finding what was known at a time: no index is in that order. */
const COST_OF_KNOWLEDGE = 15_000;

/** Wraps the cost of a field that takes `knownAt`: adds {@link COST_OF_KNOWLEDGE} when it is given. */
export function inPast<Args>(cost: CostOf<Args>): CostOf<Args & { knownAt?: Nanos | null }> {
  return (args, now) => {
    const present = cost(args, now);
    return typeof args.knownAt === 'bigint'
      ? { ...present, fixed: present.fixed + COST_OF_KNOWLEDGE }
      : present;
  };
}

export function rowCost(): FieldCost {
  return { fixed: COST_OF_QUERY, rows: 1, perRow: 0 };
}

export function pageCost({ first, last }: { first?: number | null; last?: number | null }): FieldCost {
  const size = last ?? first ?? DEFAULT_PAGE;
  return { fixed: COST_OF_QUERY, rows: Math.min(Math.max(size, 1), LARGEST_PAGE) };
}
