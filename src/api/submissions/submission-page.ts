import { submissionsKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import type { PageOrder } from '../graphql/keyed-list.js';
import { selectPage } from '../graphql/spans.js';
import { limitOf, whereAll, type SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import {
  messageConditions,
  rareConditions,
  submissionConditions,
  wordConditions,
  type FilterKeys,
  type SubmissionFilter,
} from './submission-filter.js';

/** By what the rows of a page are found: in their order; those with a message among the first ones alone, or by its index. */
export type FoundBy = 'ORDER' | 'NEWEST' | 'MESSAGE';

/** Rows that are looked through for a message before its index is asked. */
const NEWEST_ROWS = 10_000;

/**
 * These sums keep the planner from the indexes of times and DA heights, where rows are found by spans or by their
 * message. The indexes would find all rows of a time.
 */
const UNINDEXED = { timeAt: "s.time_at + interval '0'", daHeight: 's.da_height + 0' } as const;

interface PageQuestion {
  readonly filter: SubmissionFilter;
  readonly past: Past;
  readonly keys: FilterKeys;
  readonly walk: PageOrder;
  readonly size: number;
}

/** SQL of the rows of a page, and of one more. */
export function selectFound(
  found: FoundBy,
  { filter, past, keys, walk, size }: PageQuestion,
  parameters: SqlParameters,
): string {
  const { orderBy } = walk;
  const spans = found === 'MESSAGE' ? undefined : walk.getSpans?.();
  const columns = spans || found === 'MESSAGE' ? UNINDEXED : undefined;
  const conditions = [...submissionConditions(filter, keys, parameters, columns), ...walk.conditions];
  const message = messageConditions(filter, parameters);
  const from = submissionsKnownAt(past.knownAt);
  const limit = limitOf(size + 1);
  const order = `ORDER BY ${orderBy} LIMIT ${limit}`;
  const first = (conditions: readonly string[], limit: string): string => {
    const pages = rareConditions(filter).map((rare) =>
      selectPage({ alias: 's', from, conditions: [...conditions, ...rare], orderBy, limit }, spans),
    );
    if (pages.length === 1) return `${pages[0]}`;
    const all = pages.map((page) => `(${page})`).join(' UNION ALL ');
    return `SELECT * FROM (${all}) s ORDER BY ${orderBy} LIMIT ${limit}`;
  };
  if (found === 'ORDER') return first([...conditions, ...message], limit);
  if (found === 'NEWEST') {
    const newest = first(conditions, String(NEWEST_ROWS));
    return `SELECT * FROM (${newest}) s ${whereAll(message)} ${order}`;
  }
  // OFFSET 0 keeps the list's index out: rows are few, found by their message, and then sorted.
  const where = whereAll([...conditions, ...message, ...wordConditions(filter, parameters)]);
  return `SELECT * FROM (SELECT * FROM ${from} ${where} OFFSET 0) s ${order}`;
}
