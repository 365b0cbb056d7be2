import { submissionsKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import type { PageOrder } from '../graphql/keyed-list.js';
import { selectPage } from '../graphql/spans.js';
import { limitOf, whereAll, type SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import {
  MESSAGE_SORTS,
  messageConditions,
  submissionConditions,
  submissionSorts,
  type FilterKeys,
  type SubmissionFilter,
} from './submission-filter.js';
import { MERGED_ROWS } from './submission-order.js';

/** By what the rows of a page are found: in their order; those with a message among the first ones alone, or by its index. */
export type FoundBy = 'ORDER' | 'NEWEST' | 'MESSAGE';

/** Rows that are looked through for a message before its index is asked. */
const NEWEST_ROWS = 10_000;

/** Sums keep the indexes of times and DA heights out where rows are found by spans, or by their message: they would find all of a time. */
const UNINDEXED = { timeAt: "s.time_at + interval '0'", daHeight: 's.da_height + 0' } as const;

interface PageAsked {
  readonly filter: SubmissionFilter;
  readonly past: Past;
  readonly keys: FilterKeys;
  readonly walk: PageOrder;
  /** See {@link mostOf}. */
  readonly most: number;
  readonly size: number;
}

/** The first rows of all in an order, of pages that have no row in common. */
function mergePages(pages: readonly string[], order: string): string {
  return pages.length === 1
    ? `${pages[0]}`
    : `SELECT * FROM (${pages.map((page) => `(${page})`).join(' UNION ALL ')}) s ${order}`;
}

/** Rows that are read in their order at most, of each of several nodes. */
export function mostOf(found: FoundBy, { nodes }: FilterKeys, size: number): number {
  if (found !== 'NEWEST') return size + 1;
  return Math.max(size + 1, Math.min(NEWEST_ROWS, Math.floor(MERGED_ROWS / (nodes?.length || 1))));
}

/** SQL of the rows of a page, and of one more. */
export function selectFound(
  found: FoundBy,
  { filter, past, keys, walk, most, size }: PageAsked,
  parameters: SqlParameters,
): string {
  const { orderBy, spans } = walk;
  const columns = spans || found === 'MESSAGE' ? UNINDEXED : undefined;
  const ofLists = spans?.lists ? { ...keys, nodes: undefined } : keys;
  const conditions = [...submissionConditions(filter, ofLists, parameters, columns), ...walk.conditions];
  const message = messageConditions(filter, parameters);
  const sorts = submissionSorts(filter, past);
  const from = submissionsKnownAt(past.knownAt);
  const limit = limitOf(size + 1);
  const first = (conditions: readonly string[], sorts: readonly string[], limit: string): string =>
    mergePages(
      sorts.map((sort) =>
        selectPage({ alias: 's', from, conditions: [...conditions, sort], orderBy, limit }, spans),
      ),
      `ORDER BY ${orderBy} LIMIT ${limit}`,
    );
  if (found === 'ORDER') return first([...conditions, ...message], sorts, limit);
  if (found === 'NEWEST') {
    const newest = first(conditions, sorts, String(most));
    return `SELECT * FROM (${newest}) s ${whereAll(message)} ORDER BY ${orderBy} LIMIT ${limit}`;
  }
  const withMessage = sorts.flatMap((sort) => MESSAGE_SORTS.map((each) => `${sort} AND ${each}`));
  return first([...conditions, ...message], withMessage, limit);
}
