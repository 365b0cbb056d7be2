import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Query } from '../projection.js';
import { blockQuarterSql, quarterSql } from '../quarters.js';
import type { PriceChange } from './price-ledger.js';

const QUARTER_OF_SUBMISSION = `${quarterSql('s.time_at')} AS quarter_at`;
const QUARTER_OF_BLOCK = `${blockQuarterSql('b.time_ns')} AS quarter_at`;

const CHANGE_COLUMNS = columnsFor({ chain: 'text', fromAt: 'timestamptz', toAt: 'timestamptz' });

/** Marks the quarter hours in which the chains have submissions within the given periods. */
export async function markPriceChanges(query: Query, changes: readonly PriceChange[]): Promise<void> {
  if (changes.length === 0) return;
  const changed = CHANGE_COLUMNS.unnest(changes, 'c');
  await mark(
    query,
    `SELECT s.node_key, c.chain, ${QUARTER_OF_SUBMISSION}
       FROM submission s JOIN ${changed.sql} ON c.chain = s.chain_id
        AND s.time_at >= coalesce(c.from_at, '-infinity') AND s.time_at < coalesce(c.to_at, 'infinity')`,
    changed.parameters,
  );
}

export interface ChainHeight {
  readonly chain: string;
  readonly daHeight: bigint;
}

const HEIGHT_COLUMNS = columnsFor({ chain: 'text', daHeight: 'int8' });

/** Marks the quarter hours of the submissions at the given DA heights. */
export async function markDaHeights(query: Query, heights: readonly ChainHeight[]): Promise<void> {
  if (heights.length === 0) return;
  const touched = HEIGHT_COLUMNS.unnest(heights, 'f');
  await mark(
    query,
    `SELECT s.node_key, f.chain, ${QUARTER_OF_SUBMISSION}
       FROM submission s JOIN ${touched.sql} ON s.da_height = f.da_height AND s.chain_id = f.chain`,
    touched.parameters,
  );
}

/** Marks all quarter hours with submissions or blocks of the chains. */
export async function markChains(query: Query, chains: readonly string[]): Promise<void> {
  if (chains.length === 0) return;
  await mark(
    query,
    `SELECT s.node_key, s.chain_id AS chain, ${QUARTER_OF_SUBMISSION} FROM submission s WHERE s.chain_id = ANY ($1)
     UNION
     SELECT b.node_key, l.chain_id AS chain, ${QUARTER_OF_BLOCK}
       FROM block b JOIN lineage l USING (lineage_key) WHERE l.chain_id = ANY ($1)`,
    [chains],
  );
}

/** Marks each touched quarter hour once for its node (where a node showed it) and once for its chain. */
async function mark(query: Query, touched: string, parameters: readonly unknown[]): Promise<void> {
  await query(
    `INSERT INTO roll_up_mark (node_key, chain, quarter_at)
     WITH touched AS MATERIALIZED (SELECT DISTINCT * FROM (${touched}) AS each)
     SELECT node_key, '', quarter_at FROM touched WHERE node_key IS NOT NULL
     UNION
     SELECT 0, chain, quarter_at FROM touched`,
    parameters,
  );
}
