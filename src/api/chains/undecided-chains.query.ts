import type { StatementSource } from '../../platform/sql.js';
import { UNDECIDED_CHAINS } from '../../projections/record/record-progress.reader.js';
import type { ReportFilter, ReportGroup } from '../../statistics/read/plan/report-request.js';

/**
 * Ids of the chains of a filter of which something is decided in pages. To be asked before the figures are read: what is decided
 * in between makes none of them worse.
 */
export async function getUndecidedChains(
  source: Pick<StatementSource, 'query'>,
  { chains }: Pick<ReportFilter, 'chains'>,
): Promise<string[]> {
  const rows = await source.query<{ chain: string }[]>(UNDECIDED_CHAINS);
  return rows.map(({ chain }) => chain).filter((chain) => chains?.includes(chain) ?? true);
}

/** Whether all that a row of a report comes from is decided. */
export function isDecided(
  undecided: readonly string[],
  groupBy: readonly ReportGroup[],
  chain: string | null,
): boolean {
  return groupBy.includes('CHAIN') ? !undecided.includes(chain ?? '') : undecided.length === 0;
}
