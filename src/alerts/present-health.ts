import type { Database } from '../platform/sql.js';
import { JUDGED_COMPONENTS } from '../domain/health/health-rule.js';
import { BREAK_MS, type HealthSpan } from '../domain/alerts/trouble-runs.js';
import {
  formatTime,
  microsToMillis,
  microsToNanos,
  millisToNanos,
  type Micros,
  type Millis,
} from '../domain/time.js';

/** The most intervals of a component that are read: enough to see hours of flapping. */
const MOST_INTERVALS = 300;
const JUDGED = JUDGED_COMPONENTS.map((each) => `'${each}'`).join(', ');

/** The most intervals that a replay takes: it evaluates all of them at each of their ends. */
export const MOST_REPLAYED = 3_000;

const LONGEST_REASON = 1_000;

const OF_A_RULE = 'WINDOW line AS (PARTITION BY node, component, rule, state ORDER BY from_at)';

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

const millis = (moment: string): string => `(extract(epoch FROM ${moment}) * 1000)::float8`;

/**
 * The latest intervals of each node that is monitored, or was since then: the one at `since`, and those after it. Intervals of a
 * node that was removed from the settings end by then. Intervals of one rule with a short break between them are one interval
 * with parts, so flapping gives few rows.
 * @param since on the observer's clock
 */
export async function readPresentHealth(
  dataSource: Pick<Database, 'query'>,
  since: Millis,
): Promise<HealthSpan[]> {
  const line = 'h.node = n.id AND h.component = c.component AND h.to_position IS NULL';
  const rows = await dataSource.query<SpanRow[]>(
    `WITH line AS (
     SELECT i.*, least(i.to_at, gone.at) AS ended_at
       FROM node n LEFT JOIN LATERAL (
                 SELECT e.observed_at AS at FROM event e WHERE n.retired AND e.position = n.to_position) gone ON true,
            unnest(ARRAY[${JUDGED}]) AS c (component),
            LATERAL (SELECT max(h.from_at) AS from_at FROM health_interval h
                      WHERE ${line} AND h.from_at <= $1::timestamptz) b,
            LATERAL (SELECT * FROM health_interval h
                      WHERE ${line} AND h.from_at >= coalesce(b.from_at, $1::timestamptz)
                      ORDER BY h.from_at DESC LIMIT ${MOST_INTERVALS}) i
      WHERE (NOT n.retired OR gone.at > $1::timestamptz) AND (gone.at IS NULL OR i.from_at < gone.at)),
     marked AS (SELECT *, from_at - lag(ended_at) OVER line < interval '${BREAK_MS} ms' AS joined FROM line ${OF_A_RULE}),
     numbered AS (SELECT *, count(*) FILTER (WHERE joined IS NOT TRUE) OVER line AS flapping FROM marked ${OF_A_RULE})
     SELECT s.node, ${chainThen('s', 'n')} AS chain, s.component, s.rule, s.state, s.from_at AS "fromAt", s."toAt", s.position, s.parts,
            (SELECT left(h.reason, ${LONGEST_REASON}) FROM health_interval h
                   WHERE h.node = s.node AND h.component = s.component AND h.to_position IS NULL AND h.from_at = s.latest) AS reason
       FROM (SELECT node, component, rule, state, min(from_at) AS from_at, max(from_at) AS latest,
                    nullif(max(coalesce(ended_at, 'infinity')), 'infinity') AS "toAt", min(from_position) AS position,
                    json_agg(json_build_array(${millis('from_at')}, ${millis('ended_at')}) ORDER BY from_at) AS parts
               FROM numbered GROUP BY node, component, rule, state, flapping) s JOIN node n ON n.id = s.node`,
    [formatTime(millisToNanos(since), 3)],
  );
  return rows.map(toSpan);
}

/**
 * The intervals that touch a period, of all nodes that were ever monitored.
 * @param knownAt position of the log: as known then; undefined: as known now
 * @returns at most one more than {@link MOST_REPLAYED}
 */
export async function readHealthBetween(
  dataSource: Pick<Database, 'query'>,
  from: Micros,
  to: Micros,
  knownAt?: bigint,
): Promise<HealthSpan[]> {
  const rows = await dataSource.query<SpanRow[]>(
    `SELECT i.node, ${chainThen('i', 'n')} AS chain, i.component, i.rule, i.state, i.from_at AS "fromAt", i.to_at AS "toAt",
            ${firstReportOf('i')} AS position, left(i.reason, ${LONGEST_REASON}) AS reason
       FROM health_interval i JOIN node n ON n.id = i.node
      WHERE ($3::bigint IS NULL AND i.to_position IS NULL
             OR i.from_position <= $3::bigint AND (i.to_position IS NULL OR i.to_position > $3::bigint))
        AND i.component IN (${JUDGED}) AND i.from_at <= $2::timestamptz AND (i.to_at IS NULL OR i.to_at >= $1::timestamptz)
      LIMIT ${MOST_REPLAYED + 1}`,
    [...[from, to].map((at) => formatTime(microsToNanos(at), 6)), knownAt ?? null],
  );
  return rows.map(toSpan);
}

function toSpan({ fromAt, toAt, ...row }: SpanRow): HealthSpan {
  return { ...row, from: microsToMillis(fromAt), to: toAt === null ? null : microsToMillis(toAt) };
}
