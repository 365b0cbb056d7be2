import type { DataSource } from 'typeorm';
import type { HealthSpan } from '../domain/alerts/decide-alerts.js';
import { microsToMillis, type Micros } from '../domain/time.js';

/** Intervals of a component that are looked back over: enough to see that it flaps. */
const MOST_INTERVALS = 50;

type Row = Omit<HealthSpan, 'from' | 'to'> & { readonly fromAt: Micros; readonly toAt: Micros | null };

/** The latest intervals of each node that is watched. */
export async function readPresentHealth(dataSource: Pick<DataSource, 'query'>): Promise<HealthSpan[]> {
  const rows = await dataSource.query<Row[]>(
    `SELECT n.id AS node, n.chain_id AS chain, i.component, i.rule, left(i.reason, 1000) AS reason,
            i.from_at AS "fromAt", i.to_at AS "toAt", i.from_position AS position
       FROM node n, unnest(ARRAY['DA', 'NODE']) AS c (component),
            LATERAL (SELECT * FROM health_interval h
                      WHERE h.node = n.id AND h.component = c.component AND h.to_position IS NULL
                      ORDER BY h.from_at DESC LIMIT ${MOST_INTERVALS}) i
      WHERE NOT n.retired`,
  );
  return rows.map(({ fromAt, toAt, ...row }) => ({
    ...row,
    from: microsToMillis(fromAt),
    to: toAt === null ? null : microsToMillis(toAt),
  }));
}
