import type { Query } from '../../platform/sql.js';
import { OtherRules } from '../../projections/projection.js';

/** Version of the rules of the roll-up: raised by every change after which the same record would give other figures. */
export const ROLL_UP_VERSION = 3;

const NAME = 'version';

/** Version of the rules by which the statistics were computed; undefined before the first roll-up. */
export async function readRulesVersion(query: Query): Promise<number | undefined> {
  const [row] = await query<{ value: string }>('SELECT value FROM statistic_state WHERE name = $1', [NAME]);
  return row === undefined ? undefined : Number(row.value);
}

/**
 * Makes sure, until the transaction ends, that these are the rules of the statistics; the first one to compute any says
 * which they are.
 * @throws OtherRules
 */
export async function requireRulesVersion(query: Query): Promise<void> {
  const select = 'SELECT value FROM statistic_state WHERE name = $1 FOR KEY SHARE';
  let [row] = await query<{ value: string }>(select, [NAME]);
  if (!row) {
    await query('INSERT INTO statistic_state (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      NAME,
      String(ROLL_UP_VERSION),
    ]);
    [row] = await query<{ value: string }>(select, [NAME]);
  }
  const stored = Number(row?.value);
  if (stored !== ROLL_UP_VERSION) throw new OtherRules('statistics', stored, ROLL_UP_VERSION);
}
