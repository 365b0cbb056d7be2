import { UserError } from '../../platform/errors.js';
import type { Query } from '../../platform/sql.js';

/** Chains that an error names. */
const NAMED = 20;

/**
 * Does nothing for a chain that the record or the settings know: a slip of the pen must not begin a price book.
 * @throws UserError for another one
 */
export async function requireChain(query: Query, chain: string): Promise<void> {
  const rows = await query<{ chain: string }>(
    `SELECT chain_id AS chain FROM node WHERE chain_id IS NOT NULL
     UNION SELECT chain_id FROM node_chain UNION SELECT chain_id FROM lineage UNION SELECT chain FROM chain_setting ORDER BY 1`,
  );
  const chains = rows.map((row) => row.chain);
  if (chains.includes(chain)) return;
  const others = chains.length > NAMED ? ` and ${chains.length - NAMED} more` : '';
  throw new UserError(
    `No chain called ${JSON.stringify(chain)} is known.`,
    chains.length === 0
      ? 'None is: a chain becomes known by its nodes, or by an entry of chains in hindsight.yaml.'
      : `Known are: ${chains.slice(0, NAMED).join(', ')}${others}.`,
    2,
  );
}
