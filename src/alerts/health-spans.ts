import type { HealthSpan } from '../domain/alerts/trouble-runs.js';
import { JUDGED_COMPONENTS } from '../domain/health/health-rule.js';
import { formatTime, microsToMillis, millisToNanos, type Micros, type Millis } from '../domain/time.js';
import type { Database } from '../platform/sql.js';

/** The most intervals of a component that are read: enough to see hours of flapping. */
const MOST_INTERVALS = 300;
const JUDGED = JUDGED_COMPONENTS.map((each) => `'${each}'`).join(', ');

const LONGEST_REASON = 1_000;

/** SQL for the first event that reported a health interval that begins as a row does. */
export function firstReportOf(part: string): string {
  return `(SELECT min(v.from_position) FROM health_interval v
     WHERE v.node = ${part}.node AND v.component = ${part}.component AND v.from_at = ${part}.from_at)`;
}

/** SQL for the chain of a node when that event was recorded; if it had named none, the first chain that it named. */
export function chainThen(part: string, node: string): string {
  return `coalesce((SELECT c.chain_id FROM node_chain c WHERE c.node_key = ${node}.node_key AND c.from_position <= ${firstReportOf(part)}
    ORDER BY c.from_position DESC LIMIT 1), ${node}.chain_id)`;
}

type SpanRow = Omit<HealthSpan, 'from' | 'to'> & { readonly fromAt: Micros; readonly toAt: Micros | null };

/** The health that is read. Times are on the observer's clock. */
interface HealthPeriod {
  readonly nodes: readonly string[];
  readonly from: Millis;
  /** Inclusive. */
  readonly to: Millis;
  /** Position of the log: as known then; undefined: as known now. */
  readonly knownAt?: bigint | undefined;
  /** The most intervals of all nodes; undefined: the latest {@link MOST_INTERVALS} of each component. */
  readonly most?: number;
}

/** The intervals of a period: of each component the one at its start, and those after it. */
export async function readHealth(
  dataSource: Pick<Database, 'query'>,
  { nodes, from, to, knownAt, most }: HealthPeriod,
): Promise<HealthSpan[]> {
  const known = `($3::bigint IS NULL AND h.to_position IS NULL
          OR h.from_position <= $3::bigint AND (h.to_position IS NULL OR h.to_position > $3::bigint))`;
  const line = `h.node = n.id AND h.component = c.component AND ${known}`;
  const rows = await dataSource.query<SpanRow[]>(
    `SELECT n.id AS node, ${chainThen('i', 'n')} AS chain, i.component, i.rule, i.state, i.from_at AS "fromAt", i.to_at AS "toAt",
            ${firstReportOf('i')} AS position, left(i.reason, ${LONGEST_REASON}) AS reason
       FROM node n, unnest(ARRAY[${JUDGED}]) AS c (component),
            LATERAL (SELECT max(h.from_at) AS from_at FROM health_interval h
                      WHERE ${line} AND h.from_at <= $1::timestamptz) b,
            LATERAL (SELECT * FROM health_interval h
                      WHERE ${line} AND h.from_at BETWEEN coalesce(b.from_at, $1::timestamptz) AND $2::timestamptz
                      ORDER BY h.from_at DESC LIMIT coalesce($5::bigint, ${MOST_INTERVALS})) i
      WHERE n.id = ANY ($4::text[]) LIMIT $5::bigint`,
    [...[from, to].map((at) => formatTime(millisToNanos(at), 3)), knownAt ?? null, nodes, most ?? null],
  );
  return rows.map(({ fromAt, toAt, ...row }) => ({
    ...row,
    from: microsToMillis(fromAt),
    to: toAt === null ? null : microsToMillis(toAt),
  }));
}
