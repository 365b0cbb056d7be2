import type { Database } from '../../platform/sql.js';
import { UNDECIDED_CHAINS } from '../../projections/record/readers/progress.reader.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import type { ReportFilter, ReportGroup } from '../../statistics/read/plan/report-request.js';

/**
 * Ids of the chains of a filter, of its nodes as well, of which something is decided in turns. To be asked before the figures are
 * read: what is decided in between makes none of them worse.
 */
export async function getUndecidedChains(
  source: Pick<Database, 'query'>,
  { chains, nodes }: Pick<ReportFilter, 'chains' | 'nodes'>,
): Promise<string[]> {
  const parameters = new SqlParameters();
  const rows = await source.query<{ chain: string }[]>(
    `SELECT chain FROM (${UNDECIDED_CHAINS}) undecided ${whereAll([
      ...parameters.oneOf('chain', chains),
      ...parameters
        .oneOf('n.id', nodes)
        .map(
          (named) =>
            `chain IN (SELECT c.chain_id FROM node_chain c JOIN node n USING (node_key) WHERE ${named})`,
        ),
    ])}`,
    parameters.values,
  );
  return rows.map(({ chain }) => chain);
}

/** Whether all that a row of a report comes from is decided. */
export function isDecided(
  undecided: readonly string[],
  groupBy: readonly ReportGroup[],
  chain: string | null,
): boolean {
  return groupBy.includes('CHAIN') ? !undecided.includes(chain ?? '') : undecided.length === 0;
}
