import { RECORDED_WITHIN_US } from '../../../domain/funds/balance-line.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { MEMBERS_OF_CHAINS } from '../../roll-up/members.js';
import { timesParameter } from '../plan/stored-rows.js';

/** A node that pays from accounts of a DA network. */
export interface Payer {
  readonly nodeKey: number;
  /** Null while the node's chain is unknown. A node has one row for each of its chains. */
  readonly chain: string | null;
  readonly pays: boolean;
  /** Whether the node paid from other accounts in the time. */
  readonly others: boolean;
}

/** The nodes whose accounts were read in a time, as known at a position of the log. */
export function findPayers(
  query: Query,
  account: string,
  [fromUs, toUs]: readonly [Micros, Micros],
  knownAt: bigint | undefined,
): Promise<Payer[]> {
  return query<Payer>(
    `SELECT n.node_key AS "nodeKey", m.chain, a.pays, a.others
       FROM (SELECT present.node, bool_or(present.account = $1::text) AS pays, bool_or(present.account <> $1::text) AS others
               FROM account present
              WHERE present.to_position IS NULL AND EXISTS (
                    SELECT FROM account v WHERE v.account = present.account AND v.node = present.node
                       AND v.observed_at >= ($2::timestamptz[])[1] AND v.observed_at <= ($2::timestamptz[])[2]
                       AND ($3::bigint IS NULL OR v.from_position <= $3))
              GROUP BY present.node) a
       JOIN node n ON n.id = a.node LEFT JOIN (${MEMBERS_OF_CHAINS}) m ON m.node_key = n.node_key
      ORDER BY m.chain COLLATE "C", n.node_key`,
    [account, timesParameter([fromUs - RECORDED_WITHIN_US, toUs + RECORDED_WITHIN_US]), knownAt ?? null],
  );
}

/** The accounts that nodes of a chain pay from, sorted; of many, those that were read last. */
export async function findAccountsOf(query: Query, chain: string, most: number): Promise<string[]> {
  const rows = await query<{ account: string }>(
    `SELECT a.account FROM account a JOIN node n ON n.id = a.node JOIN (${MEMBERS_OF_CHAINS}) m ON m.node_key = n.node_key
      WHERE a.to_position IS NULL AND m.chain = $1::text GROUP BY 1 ORDER BY max(a.observed_at) DESC LIMIT $2`,
    [chain, most],
  );
  return rows.map(({ account }) => account).sort();
}
