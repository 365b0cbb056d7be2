import { kindCodeOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';
import type { GroupKey } from './report-request.js';

/** What tells a row of a report from all others. */
export interface ReportPlace {
  /** Start of the bucket. */
  readonly timeUs: Micros;
  /** As {@link groupOrder} gives it. */
  readonly group: readonly string[];
}

/** What rows of one time are sorted by, a text for each of `REPORT_GROUPS`; enums in the order of their codes, what is null first. */
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

/** By time, and then by group. @returns less than 0 where `a` comes first, 0 for the same row */
export function comparePlaces(a: ReportPlace, b: ReportPlace): number {
  if (a.timeUs !== b.timeUs) return a.timeUs < b.timeUs ? -1 : 1;
  for (const [index, text] of a.group.entries()) {
    const other = b.group[index] ?? '';
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
