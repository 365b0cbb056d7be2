import type { Database } from '../../platform/sql.js';
import { NODES_WITH_OTHERS } from '../../projections/record/readers/named-namespaces.reader.js';
import type { GroupKey, ReportFilter, ReportGroup } from '../../statistics/read/plan/report-request.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';

/** A node with namespaces that are not counted by name, and a chain that it named. */
export interface NodeWithOthers {
  readonly node: string;
  readonly chain: string | null;
}

/** Filters by node or chain. */
export function getNodesWithOthers(
  source: Pick<Database, 'query'>,
  { chains, nodes }: Pick<ReportFilter, 'chains' | 'nodes'>,
): Promise<NodeWithOthers[]> {
  const parameters = new SqlParameters();
  return source.query(
    `SELECT DISTINCT node, chain FROM (${NODES_WITH_OTHERS}) found ${whereAll([
      ...parameters.oneOf('chain', chains),
      ...parameters.oneOf('node', nodes),
    ])}`,
    parameters.values,
  );
}

/** Whether a row of a report may include attempts of namespaces that are not counted by name. */
export function hasOtherNamespaces(
  found: readonly NodeWithOthers[],
  groupBy: readonly ReportGroup[],
  row: Pick<GroupKey, 'node' | 'chain'>,
): boolean {
  return found.some(
    ({ node, chain }) =>
      (!groupBy.includes('NODE') || node === row.node) && (!groupBy.includes('CHAIN') || chain === row.chain),
  );
}
