import { BLIND_RULES, QUIET_MS, TROUBLED_STATES, type TroubledState } from '../../domain/health/trouble.js';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import { type Micros, type Millis, nanosToMicros } from '../../domain/time.js';
import { healthKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import { fromHealth, LAST_LOOKED } from '../health/history.query.js';

/** An incident as {@link SELECT_INCIDENT} reads it. */
export interface IncidentRow {
  readonly nodeKey: number;
  readonly node: string;
  readonly chain: string | null;
  readonly component: HealthComponent;
  readonly fromAt: Micros;
  readonly toAt: Micros | null;
  readonly position: bigint;
  readonly severity: TroubledState;
  readonly rule: string;
  readonly reason: string;
  readonly signs: number;
  readonly lastSignAt: Micros | null;
  readonly troubleMs: Millis | null;
  readonly claim: string | null;
  readonly claimDifferedMs: Millis | null;
}

const TROUBLE = `i.state IN (${TROUBLED_STATES.map((state) => `'${state}'`).join(', ')})`;
const BLIND = `(i.state = 'UNKNOWN' AND i.rule IN (${[...BLIND_RULES].map((rule) => `'${rule}'`).join(', ')}))`;

/** Of {@link incidentsIn}. The position is that of the event that first told of the first sign. */
export const SELECT_INCIDENT = `
  SELECT own.node_key AS "nodeKey", s.node, own.chain_id AS chain, s.component, s.from_at AS "fromAt", calm.from_at AS "toAt",
         (SELECT min(v.from_position) FROM health_interval v
           WHERE v.node = s.node AND v.component = s.component AND v.from_at = s.from_at) AS position,
         told.severity, told.rule, told.reason, told.signs, told.last_sign_at AS "lastSignAt", told.trouble_ms AS "troubleMs",
         told.claim, told.claim_differed_ms AS "claimDifferedMs"`;

/** SQL that selects of the intervals `i` of trouble, as they are known now. */
export function trouble(columns: string): string {
  return `SELECT ${columns} FROM health_interval i WHERE i.to_position IS NULL AND ${TROUBLE}`;
}

/** Where an incident stands among others: no two begin so. */
export const INCIDENT_KEY = [
  { sql: 's.from_at', type: 'timestamptz' },
  { sql: 's.node', type: 'text' },
  { sql: 's.component', type: 'text' },
] as const;

/** What a statement about incidents is put together of. */
export interface Incidents {
  /** `FROM …`. */
  readonly from: string;
  readonly conditions: readonly string[];
}

/**
 * Incidents: `s` is the interval of health that an incident begins with, `own` its node, `calm` the interval that
 * ended it, `told` what its intervals tell together. Which interval is first, and which last, follows from those beside it, so
 * that a page reads as much of a line as its rows need.
 * @param past also a past, with the intervals that were known in it
 */
export function incidentsIn(past: Past, parameters: SqlParameters): Incidents {
  const line = linesIn(past, parameters);
  const before = line.of('i.from_at', ['i.from_at < s.from_at', TROUBLE], 'ORDER BY i.from_at DESC LIMIT 1');
  const between = line.of('', ['i.from_at > sign.from_at', 'i.from_at < s.from_at', line.isLongCalm]);
  const after = line.of(
    'i.from_at',
    ['i.from_at > s.from_at', line.isLongCalm],
    'ORDER BY i.from_at LIMIT 1',
  );
  const isOfIt = ['i.from_at >= s.from_at', "i.from_at < coalesce(calm.from_at, 'infinity')"];
  return {
    from: `FROM (SELECT i.* FROM ${healthKnownAt(past.knownAt)} WHERE ${[...line.stands, TROUBLE].join(' AND ')}) s
      JOIN node own ON own.id = s.node
      LEFT JOIN LATERAL (${after}) calm ON true
      CROSS JOIN LATERAL (${line.of(line.told, [...isOfIt, TROUBLE])}) told`,
    conditions: [`NOT EXISTS (SELECT FROM (${before}) sign WHERE NOT EXISTS (${between}))`],
  };
}

/** SQL of how many incidents are open now, by severity, of nodes that are watched. */
export function countOpenIncidents(parameters: SqlParameters): string {
  const line = linesIn({}, parameters);
  const calm = line.of('i.from_at', [line.isLongCalm], 'ORDER BY i.from_at DESC LIMIT 1');
  const worst = line.of("bool_or(i.state = 'CRITICAL') AS is_critical", [
    TROUBLE,
    "i.from_at > coalesce(calm.from_at, '-infinity')",
  ]);
  return `SELECT count(*) FILTER (WHERE told.is_critical)::int AS "CRITICAL", count(*) FILTER (WHERE NOT told.is_critical)::int AS "WARNING"
    FROM (SELECT id AS node, component FROM node, unnest(ARRAY['DA', 'NODE']) AS component WHERE NOT retired) s
    LEFT JOIN LATERAL (${calm}) calm ON true
    CROSS JOIN LATERAL (${worst}) told`;
}

/** SQL about the intervals `i` of the line of `s`: of a component of a node. */
interface Lines {
  /** Conditions of intervals that stand in the past that is asked about. */
  readonly stands: readonly string[];
  /** Whether an interval ends an incident: it is known to be calm for the quiet time. */
  readonly isLongCalm: string;
  readonly told: string;
  of(columns: string, conditions: readonly string[], rest?: string): string;
}

function linesIn(past: Past, parameters: SqlParameters): Lines {
  const timeOf = (time: bigint | undefined): string =>
    time === undefined ? 'NULL::timestamptz' : parameters.addTime(nanosToMicros(time));
  const [asOf, end] = [timeOf(past.asOf), timeOf(past.end)];
  const stands = ['i.to_position IS NULL', ...parameters.compareTime('i.from_at', '<', past.asOf)];
  // As far as it is known to have lasted: an open one up to the last look.
  const until = `CASE WHEN i.to_at IS NOT NULL THEN least(i.to_at, ${asOf}) WHEN ${LAST_LOOKED} IS NOT NULL THEN least(${LAST_LOOKED}, ${end}) END`;
  const milliseconds = (interval: string): string => `(extract(epoch FROM ${interval}) * 1000)::float8`;
  const first = (column: string): string =>
    `(array_agg(i.${column} ORDER BY i.state = 'CRITICAL' DESC, i.from_at))[1] AS ${column === 'state' ? 'severity' : column}`;
  return {
    stands,
    isLongCalm: `NOT ${TROUBLE} AND NOT ${BLIND} AND ${until} - i.from_at >= interval '${QUIET_MS} milliseconds'`,
    told: `${['state', 'rule', 'reason'].map(first).join(', ')}, count(*)::int AS signs,
      CASE WHEN bool_and(i.to_at < coalesce(${asOf}, 'infinity')) THEN max(i.to_at) END AS last_sign_at,
      ${milliseconds(`sum(greatest(${until}, i.from_at) - i.from_at)`)} AS trouble_ms,
      (array_agg(i.claim ORDER BY i.from_at) FILTER (WHERE i.claim_differs))[1] AS claim,
      CASE WHEN ${asOf} IS NULL OR bool_and(i.to_at <= ${asOf}) THEN sum(i.differed_ms)::float8 END AS claim_differed_ms`,
    of: (columns, conditions, rest = '') =>
      `SELECT ${columns} ${fromHealth(past)}
        WHERE i.node = s.node AND i.component = s.component AND ${[...stands, ...conditions].join(' AND ')} ${rest}`,
  };
}
