import type { Query } from '../../../platform/sql.js';
import { MEMBERS_OF_CHAINS } from '../../roll-up/members.js';

/** A node that pays from accounts of a DA network. */
export interface Payer {
  readonly nodeKey: number;
  /** Null while the node's chain is unknown. A node has one row for each of its chains. */
  readonly chain: string | null;
  /** Whether the node ever paid from the account. */
  readonly pays: boolean;
  /** Whether the node ever paid from other accounts. */
  readonly others: boolean;
}

/** The nodes whose accounts are known. */
export function findPayers(query: Query, account: string): Promise<Payer[]> {
  return query<Payer>(
    `SELECT n.node_key AS "nodeKey", m.chain, a.pays, a.others
       FROM (SELECT node, bool_or(account = $1::text) AS pays, bool_or(account <> $1::text) AS others
               FROM account WHERE to_position IS NULL GROUP BY node) a
       JOIN node n ON n.id = a.node LEFT JOIN (${MEMBERS_OF_CHAINS}) m ON m.node_key = n.node_key
      ORDER BY m.chain COLLATE "C", n.node_key`,
    [account],
  );
}

/** The accounts that nodes of a chain ever paid from, sorted. */
export async function findAccountsOf(query: Query, chain: string): Promise<string[]> {
  const rows = await query<{ account: string }>(
    `SELECT DISTINCT a.account COLLATE "C" AS account FROM account a JOIN node n ON n.id = a.node
       JOIN (${MEMBERS_OF_CHAINS}) m ON m.node_key = n.node_key
      WHERE a.to_position IS NULL AND m.chain = $1::text ORDER BY 1`,
    [chain],
  );
  return rows.map(({ account }) => account);
}
