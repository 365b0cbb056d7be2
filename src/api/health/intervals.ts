import { ArgsType } from '@nestjs/graphql';
import type { Nanos } from '../../domain/time.js';
import { badUserInput } from '../errors.js';
import { COST_OF_QUERY, type FieldCost } from '../graphql/field-cost.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import { dateTime, id } from '../graphql/fields.js';

/** Limit of intervals per answer; these lists have no pages. */
export const LARGEST_HISTORY = 10_000;

@ArgsType()
export class HistoryArgs {
  @id('Id of the node.') node: string;
  @dateTime.orNull('Only intervals that reach beyond this time; intervals are never cut.')
  from?: Nanos | null;
  @dateTime.orNull('Only intervals that begin before this time.') to?: Nanos | null;
}

const MINUTE: Nanos = 60_000_000_000n;

/**
 * Assumes one state change per minute of the requested time. States rarely change that often, and more is cut off while
 * answering.
 */
export function historyCost({ from, to }: Pick<HistoryArgs, 'from' | 'to'>, now: Nanos): FieldCost {
  const minutes = typeof from === 'bigint' ? Number(((to ?? now) - from) / MINUTE) : LARGEST_HISTORY;
  const rows = Math.min(Math.max(minutes, 0) + 2, LARGEST_HISTORY);
  return { fixed: COST_OF_QUERY, rows, remedy: 'give `from`, or request a shorter time' };
}

/** Conditions for the current versions of the node's intervals `i` that overlap the requested time. */
export function intervalConditions({ node, from, to }: HistoryArgs, parameters: SqlParameters): string[] {
  return [
    `i.node = ${parameters.add(node, 'text')}`,
    'i.to_position IS NULL',
    ...parameters.compareTime("coalesce(i.to_at, 'infinity')", '>', from),
    ...parameters.compareTime('i.from_at', '<', to),
  ];
}

/** @throws ApiError BAD_USER_INPUT if there are more than one answer may hold */
export function requireBounded<T>(rows: T[]): T[] {
  if (rows.length > LARGEST_HISTORY) {
    throw badUserInput(
      `There are more than ${LARGEST_HISTORY} intervals; request a shorter time with \`from\` and \`to\`.`,
    );
  }
  return rows;
}
