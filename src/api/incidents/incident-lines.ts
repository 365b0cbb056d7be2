import { firstReportOf } from '../../alerts/health-spans.js';
import { BLIND_RULES, QUIET_MS, RETIRED_RULE, TROUBLED_STATES } from '../../domain/health/trouble.js';
import { nanosToMicros } from '../../domain/time.js';
import { versionsKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { IncidentJoinEntity } from '../../tables/health.entities.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import { fromHealth, LAST_POLLED } from '../health/history.query.js';

/** Our own constants as an SQL list: the texts are not escaped. */
export function wordsInSql(texts: Iterable<string>): string {
  return [...texts].map((text) => `'${text}'`).join(', ');
}

/** Condition: the interval of health `i` is trouble. */
export const TROUBLE = `i.state IN (${wordsInSql(TROUBLED_STATES)})`;
const BLIND = `(i.state = 'UNKNOWN' AND i.rule IN (${wordsInSql(BLIND_RULES)}))`;

/** SQL about lines: the intervals `i` of one component of one node. */
export interface Lines {
  /** Conditions for intervals that were current in the requested past. */
  readonly stands: readonly string[];
  /** FROM item `j` of `incident_join`, and the condition for its current rows. */
  readonly joins: string;
  readonly isJoined: string;
  /** Selects what all nodes of the incident that began with `s` show together. */
  readonly span: string;
  /** Selects from the line that another row names. */
  of(row: string, columns: string, conditions: readonly string[], rest?: string): string;
  /** Whether a row, an interval of trouble, is the last of its incident: the quiet time follows it without trouble. */
  isLast(sign: string): string;
}

export function linesIn(past: Past, parameters: SqlParameters): Lines {
  const timeOf = (time: bigint | undefined): string =>
    time === undefined ? 'NULL::timestamptz' : parameters.addTime(nanosToMicros(time));
  const [asOf, end] = [timeOf(past.asOf), timeOf(past.end)];
  const stands = ['i.to_position IS NULL', ...parameters.compareTime('i.from_at', '<', past.asOf)];
  // Known duration: an open interval lasts up to the last poll.
  const until = `CASE WHEN i.to_at IS NOT NULL THEN least(i.to_at, ${asOf}) WHEN ${LAST_POLLED} IS NOT NULL THEN least(${LAST_POLLED}, ${end}) END`;
  const joins = versionsKnownAt(past.knownAt, IncidentJoinEntity, 'j');
  const isJoined = ['j.to_position IS NULL', ...parameters.compareTime('j.from_at', '<', past.asOf)].join(
    ' AND ',
  );
  const quiet = `interval '${QUIET_MS} milliseconds'`;
  // Nothing was visible in this time: it neither adds calm nor breaks it.
  const calm = `sum(CASE WHEN i.rule = '${RETIRED_RULE}' THEN ${quiet} WHEN NOT ${BLIND} THEN greatest(${until} - i.from_at, interval '0') END)`;
  const of: Lines['of'] = (row, columns, conditions, rest = '') =>
    `SELECT ${columns} ${fromHealth(past)}
      WHERE i.node = ${row}.node AND i.component = ${row}.component AND ${[...stands, ...conditions].join(' AND ')} ${rest}`;
  const isLast: Lines['isLast'] = (sign) => {
    const next = of(
      sign,
      'i.from_at',
      [`i.from_at > ${sign}.from_at`, TROUBLE],
      'ORDER BY i.from_at LIMIT 1',
    );
    const behind = [`i.from_at > ${sign}.from_at`, `i.from_at < coalesce((${next}), 'infinity')`];
    // Sums in time order, so that reading stops as soon as the sum is sufficient.
    return `EXISTS (SELECT FROM (${of(sign, `${calm} OVER (ORDER BY i.from_at) AS calm`, behind)}) quiet WHERE quiet.calm >= ${quiet})`;
  };
  const span = toldOfParts({ of, isLast, joins, isJoined }, toldOfLine(asOf, until));
  return { stands, joins, isJoined, span, of, isLast };
}

/** Sums up the intervals of trouble of one line. */
function toldOfLine(asOf: string, until: string): string {
  const milliseconds = (interval: string): string => `(extract(epoch FROM ${interval}) * 1000)::float8`;
  // The longest interval names the incident: a freeze may begin with a flicker of another rule.
  const longest = `i.state = 'CRITICAL' DESC, ${until} - i.from_at DESC NULLS LAST, i.from_at`;
  const worst = (column: string): string =>
    `(array_agg(i.${column} ORDER BY ${longest}))[1] AS ${column === 'state' ? 'severity' : column}`;
  // The latest interval of a rule has the tally of failures of the whole incident.
  const latest = (rule: string): string =>
    `WHEN '${rule}' THEN (array_agg(i.reason ORDER BY i.from_at DESC) FILTER (WHERE i.rule = '${rule}'))[1]`;
  const reason = `CASE (array_agg(i.rule ORDER BY ${longest}))[1] ${['failing', 'failures'].map(latest).join(' ')}
      ELSE (array_agg(i.reason ORDER BY ${longest}))[1] END AS reason`;
  return `${['state', 'rule'].map(worst).join(', ')}, ${reason}, count(*)::int AS signs,
      CASE WHEN bool_and(coalesce(i.to_at, 'infinity') < coalesce(${asOf}, 'infinity')) THEN max(i.to_at) END AS last_sign_at,
      ${milliseconds(`sum(greatest(${until}, i.from_at) - i.from_at)`)} AS trouble_ms,
      (array_agg(i.claim ORDER BY i.from_at) FILTER (WHERE i.claim_differs))[1] AS claim,
      CASE WHEN ${asOf} IS NULL OR bool_and(coalesce(i.to_at, 'infinity') <= ${asOf}) THEN sum(i.differed_ms)::float8 END AS claim_differed_ms`;
}

/** Sums up the parts of an incident: one for the node it began with, and one for each node that joined it. */
function toldOfParts(
  { of, isLast, joins, isJoined }: Pick<Lines, 'of' | 'isLast' | 'joins' | 'isJoined'>,
  ofLine: string,
): string {
  const signs = of('p', 'i.node, i.component, i.from_at', ['i.from_at >= p.from_at', TROUBLE]);
  const last = `SELECT sign.* FROM (${signs}) sign WHERE ${isLast('sign')} ORDER BY sign.from_at LIMIT 1`;
  const after = of(
    'last',
    'i.from_at, i.state, i.reason',
    ['i.from_at > last.from_at', `NOT ${BLIND}`],
    'ORDER BY i.from_at LIMIT 1',
  );
  const isOfIt = ['i.from_at >= p.from_at', "i.from_at < coalesce(calm.from_at, 'infinity')", TROUBLE];
  const worst = (column: string): string =>
    `(array_agg(t.${column} ORDER BY t.severity = 'CRITICAL' DESC, p.from_at, p.node))[1] AS ${column}`;
  const known = (column: string, value: string): string =>
    `CASE WHEN bool_and(${column} IS NOT NULL) THEN ${value}(${column}) END`;
  const micros = (column: string): string => `(extract(epoch FROM ${column}) * 1000000)::bigint::text`;
  const part = `'node', p.node, 'from', ${micros('p.from_at')}, 'to', ${micros('calm.from_at')}, 'severity', t.severity, 'rule', t.rule,
      'reason', t.reason, 'signs', t.signs, 'position', ${firstReportOf('p')}::text`;
  return `SELECT min(p.from_at) AS from_at, ${known('calm.from_at', 'max')} AS to_at,
      CASE WHEN bool_and(calm.from_at IS NOT NULL) THEN (array_agg(calm.state || ': ' || calm.reason ORDER BY calm.from_at DESC))[1] END AS end_reason,
      ${['severity', 'rule', 'reason'].map(worst).join(', ')},
      sum(t.signs)::int AS signs, ${known('t.last_sign_at', 'max')} AS last_sign_at, sum(t.trouble_ms) AS trouble_ms,
      (array_agg(t.claim ORDER BY p.from_at) FILTER (WHERE t.claim IS NOT NULL))[1] AS claim,
      ${known('t.claim_differed_ms', 'sum')} AS claim_differed_ms, array_agg(p.node) AS nodes,
      json_agg(json_build_object(${part}) ORDER BY p.from_at, p.node) AS parts
    FROM (SELECT s.node, s.component, s.from_at
          UNION ALL SELECT j.node, j.component, j.from_at FROM ${joins}
           WHERE j.root_node = s.node AND j.component = s.component AND j.root_from_at = s.from_at AND ${isJoined}) p
    LEFT JOIN LATERAL (${last}) last ON true
    LEFT JOIN LATERAL (${after}) calm ON true
    CROSS JOIN LATERAL (${of('p', ofLine, isOfIt)}) t`;
}
