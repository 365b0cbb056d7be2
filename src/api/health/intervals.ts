import { Field, ID, ArgsType } from '@nestjs/graphql';
import { badUserInput } from '../errors.js';
import { COST_OF_QUERY, type FieldCost } from '../graphql/field-cost.js';
import { DateTime } from '../graphql/scalars.js';
import type { SqlParameters } from '../graphql/sql-text.js';

/** Intervals that one answer holds at most; these lists have no pages. */
export const LARGEST_HISTORY = 10_000;

/** The node and the time that a history is asked for. */
@ArgsType()
export class HistoryArgs {
  @Field(() => ID)
  node: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Only what reaches beyond this time; an interval is never cut.',
  })
  from?: bigint | null;

  @Field(() => DateTime, { nullable: true, description: 'Only what begins before this time.' })
  to?: bigint | null;
}

const NANOS_PER_MINUTE = 60_000_000_000n;

/** As if the state had changed each minute of the asked time: it rarely does, and more than that is cut off while answering. */
export function historyCost({ from, to }: HistoryArgs, nowNs: bigint): FieldCost {
  const minutes =
    typeof from === 'bigint' ? Number(((to ?? nowNs) - from) / NANOS_PER_MINUTE) : LARGEST_HISTORY;
  return { fixed: COST_OF_QUERY, rows: Math.min(Math.max(minutes, 0) + 2, LARGEST_HISTORY) };
}

/** Conditions for intervals (`from_at`, `to_at`) that overlap the asked time. */
export function overlapConditions({ from, to }: HistoryArgs, parameters: SqlParameters): string[] {
  const conditions: string[] = [];
  if (typeof from === 'bigint') {
    conditions.push(`(to_at IS NULL OR to_at > ${parameters.addTime(from)})`);
  }
  if (typeof to === 'bigint') conditions.push(`from_at < ${parameters.addTime(to)}`);
  return conditions;
}

/** @throws ApiError BAD_USER_INPUT when there are more than one answer may hold */
export function requireBounded<T>(rows: T[]): T[] {
  if (rows.length > LARGEST_HISTORY) {
    throw badUserInput(
      `There are more than ${LARGEST_HISTORY} intervals; ask for a shorter time with \`from\` and \`to\`.`,
    );
  }
  return rows;
}
