import { kindCodeOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import type { GroupKey } from './report-request.js';

export interface ReportRowKey {
  /** Start of the bucket. */
  readonly timeUs: Micros;
  /** The result of {@link groupOrder}. */
  readonly group: readonly string[];
}

/** The sort key of rows of one time, a text for each of `REPORT_GROUPS`; enums in the order of their codes, nulls first. */
export function groupOrder({ node, chain, namespace, kind, status }: GroupKey): string[] {
  const code = (of: number | undefined): string => String(of ?? -1).padStart(5, '0');
  return [
    node ?? '',
    chain ?? '',
    namespace ?? '',
    code(kind ? kindCodeOf(kind) : undefined),
    code(status ? statusCodeOf(status) : undefined),
  ];
}

/**
 * Compares by time, and then by group.
 * @returns less than 0 if `a` comes first, 0 for the same row
 */
export function compareRowKeys(a: ReportRowKey, b: ReportRowKey): number {
  if (a.timeUs !== b.timeUs) return a.timeUs < b.timeUs ? -1 : 1;
  for (const [index, text] of a.group.entries()) {
    const other = b.group[index] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
