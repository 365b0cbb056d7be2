import type { Database } from '../../platform/sql.js';
import { healthKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import type { KnownRange } from '../read/plan/grouped-rows.js';

/**
 * The worst rule of the DA_NODE lines of these nodes within a time, the latest one of equal ones; undefined where no DA node is
 * watched.
 * @param knownAt position of the log: as known then; undefined: as known now
 */
export async function findDaNodeRule(
  source: Pick<Database, 'query'>,
  nodes: readonly string[],
  { fromUs, toUs, knownAt }: Omit<KnownRange, 'nowUs'>,
): Promise<string | undefined> {
  const [row] = await source.query<{ rule: string }[]>(
    `SELECT i.rule FROM ${healthKnownAt(knownAt)}
      WHERE i.node = ANY ($1::text[]) AND i.component = 'DA_NODE' AND i.to_position IS NULL
        AND i.from_at <= timestamptz 'epoch' + $3::bigint * interval '1 microsecond'
        AND coalesce(i.to_at, 'infinity') > timestamptz 'epoch' + $2::bigint * interval '1 microsecond'
      ORDER BY array_position(ARRAY['CRITICAL', 'WARNING', 'HEALTHY'], i.state), i.from_at DESC LIMIT 1`,
    [nodes, String(fromUs), String(toUs)],
  );
  return row?.rule;
}
