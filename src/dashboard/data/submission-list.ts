import { FAILURE_CODES } from '../../domain/submissions/failure-cause.js';
import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../domain/submissions/submission-codes.js';
import type { SubmissionsQueryVariables } from './answers.gen.js';
import type { Question } from './questions.js';
import type { LiveChange } from './live.js';
import { rowRangeOf } from './range.js';
import SUBMISSION_ROW from './submission-row.graphql?raw';
import SUBMISSIONS from './submissions.graphql?raw';
import { momentOf, type ReadonlyView } from './view.js';

export const SUBMISSIONS_QUERY = SUBMISSIONS + SUBMISSION_ROW;

/** Rows come every second on some chains. */
const LIVE_EVERY_MS = 2_000;

/** Filters with a fixed set of values: parameter of the address and its values. */
export const CHOICES = {
  status: SUBMISSION_STATUSES,
  cause: FAILURE_CODES,
  kind: SUBMISSION_KINDS,
  evidence: SUBMISSION_EVIDENCES,
} as const;

/** Parameters of the address that filter submissions; the range of the page comes in addition. */
export const FILTERS = ['chain', 'node', ...Object.keys(CHOICES), 'message'];

/** Filters of a list of submissions, by their names in the API. */
export type SubmissionFilters = Omit<SubmissionsQueryVariables, 'first' | 'after' | 'asOf' | 'knownAt'>;

/** The filters that the address names. @param nowMs the present, ms since 1970 */
export function filtersOf(view: Pick<ReadonlyView, 'get'>, nowMs: number): SubmissionFilters {
  const only = (name: string): string[] | null => (view.get(name) === '' ? null : [view.get(name)]);
  const filters = {
    chains: only('chain'),
    nodes: only('node'),
    statuses: only('status'),
    causes: only('cause'),
    kinds: only('kind'),
    evidence: only('evidence'),
    message: view.get('message') || null,
    ...rowRangeOf(view, nowMs),
  };
  // The API refuses values that it does not know.
  return filters as SubmissionFilters;
}

export function submissionsVariables(
  view: Pick<ReadonlyView, 'get'>,
  filters: SubmissionFilters,
  first: number,
): SubmissionsQueryVariables {
  return { ...filters, ...momentOf(view), first, after: view.get('after') || null };
}

export function submissionsQuestion(variables: SubmissionsQueryVariables): Question {
  return [SUBMISSIONS_QUERY, JSON.stringify(variables), () => variables];
}

/** The changes after which the newest submissions are queried again; older ones stay. */
export function changesOf({ nodes, chains }: SubmissionFilters, after: string): LiveChange[] {
  if (after !== '') return [];
  const of = { ...(nodes ? { nodes } : {}), ...(chains ? { chains } : {}) };
  return [{ kind: 'SubmissionsObserved', of, atMostEveryMs: LIVE_EVERY_MS }];
}

/** Columns of the file: those of the list, and everything that it shortens. */
const COLUMNS =
  'id,time,chain,node,status,message,kind,evidence,blob_count,size_bytes,fee_min_utia,fee_max_utia,fee_basis,fiat_min,fiat_max,fiat_unit,da_height,namespace';

/** The parameters of a file with all submissions that match, not only a page of them. */
export function exportQuery(view: Pick<ReadonlyView, 'get'>, filters: SubmissionFilters): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filters, ...momentOf(view) }))
    for (const each of Array.isArray(value) ? value : [value])
      if (typeof each === 'string') query.append(name, each);
  query.set('columns', COLUMNS);
  return query;
}
