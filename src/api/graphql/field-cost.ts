import { Extensions } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { DEFAULT_PAGE, LARGEST_PAGE } from './connection.js';

/** What a field of Query or Mutation costs beside the values that are selected of its rows. */
export interface FieldCost {
  /** Whatever it answers. */
  readonly fixed: number;
  /** Rows that can come. */
  readonly rows: number;
  /** What each of them costs beside its values: it is read, and stays in memory until it is answered. 10 when left out. */
  readonly perRow?: number;
  /** What makes it cheaper, as the end of a sentence; left out where that is fewer rows or fields. */
  readonly remedy?: string;
}

/**
 * Tells the cost from the arguments of the field; `now` stands for times that are left out.
 * @param recordFrom when the record begins, where that is known
 */
type CostOf<Args> = (args: Args, now: Nanos, recordFrom?: Nanos) => FieldCost;

const NAME = 'cost';

/** A question to the database, however little it answers. */
export const COST_OF_QUERY = 5_000;

/** Declares what a field costs. Whatever answers a list needs it. */
export function Costs<Args>(cost: CostOf<Args>): MethodDecorator {
  return Extensions({ [NAME]: cost });
}

/** As {@link Costs}, of a field of a row that is a list itself: so many rows can come. */
export function RowsOf(rows: number): PropertyDecorator {
  return Extensions({ [NAME]: () => ({ fixed: 0, rows }) });
}

/** What was declared of a field; undefined: nothing. */
export function declaredCost(extensions: Readonly<Record<string, unknown>>): CostOf<unknown> | undefined {
  return extensions[NAME] as CostOf<unknown> | undefined;
}

/** Of a list without pages that has as many rows as somebody has made. */
export function listOf(rows: number): () => FieldCost {
  return () => ({ fixed: COST_OF_QUERY, rows });
}

/** What it costs to find what was known at a time: no index is in that order. */
const COST_OF_KNOWLEDGE = 15_000;

/** As another cost, of a field that can be asked for as it was known. */
export function inPast<Args>(cost: CostOf<Args>): CostOf<Args & { knownAt?: Nanos | null }> {
  return (args, now) => {
    const present = cost(args, now);
    return typeof args.knownAt === 'bigint'
      ? { ...present, fixed: present.fixed + COST_OF_KNOWLEDGE }
      : present;
  };
}

/** Of a single row. */
export function rowCost(): FieldCost {
  return { fixed: COST_OF_QUERY, rows: 1, perRow: 0 };
}

/** Of a list with pages, by the rows that are asked for. */
export function pageCost({ first, last }: { first?: number | null; last?: number | null }): FieldCost {
  const size = last ?? first ?? DEFAULT_PAGE;
  return { fixed: COST_OF_QUERY, rows: Math.min(Math.max(size, 1), LARGEST_PAGE) };
}
