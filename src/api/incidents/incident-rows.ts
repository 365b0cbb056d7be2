import { chainThen, firstReportOf } from '../../alerts/health-spans.js';
import { FINALITY_RULES, type IncidentSubject, type TroubledState } from '../../domain/health/trouble.js';
import { HEALTH_COMPONENTS } from '../../domain/health/health-rule.js';
import { JOINED_WITHIN_MS } from '../../domain/health/joined-trouble.js';
import { millisToNanos, type Micros, type Millis, type Nanos } from '../../domain/time.js';
import { healthKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import type { SqlParameters } from '../graphql/sql-text.js';
import type { Past } from '../graphql/time-travel.js';
import { linesIn, TROUBLE, wordsInSql, type Lines } from './incident-lines.js';
import { selectPresent, type IncidentPresent } from './present-words.js';

/** The part of a node in an incident. Times are microseconds, as decimal digits. */
export interface IncidentPartRow {
  readonly node: string;
  readonly from: string;
  readonly to: string | null;
  readonly severity: TroubledState;
  readonly rule: string;
  readonly reason: string;
  readonly signs: number;
  readonly position: string;
}

/** An incident as {@link SELECT_INCIDENT} reads it. */
export interface IncidentRow extends IncidentPresent {
  /** The node with which the incident began. */
  readonly nodeKey: number;
  readonly node: string;
  /** The first sign of that node; part of the incident's id. */
  readonly rootFromAt: Micros;
  /** Chain of that node at its first sign. */
  readonly chain: string | null;
  readonly subject: IncidentSubject;
  readonly fromAt: Micros;
  readonly toAt: Micros | null;
  /** Finding that ended the incident; null while it is ongoing. */
  readonly endReason: string | null;
  readonly position: bigint;
  readonly severity: TroubledState;
  readonly rule: string;
  readonly reason: string;
  readonly signs: number;
  readonly lastSignAt: Micros | null;
  readonly troubleMs: Millis | null;
  readonly claim: string | null;
  readonly claimDifferedMs: Millis | null;
  /** Author and time of the first acknowledgement; null if unacknowledged. */
  readonly acknowledgedBy: string | null;
  readonly acknowledgedAt: Micros | null;
  /** All its nodes, the one with the first sign first. A node that joined twice is listed twice. */
  readonly parts: readonly IncidentPartRow[];
}

/** Decided by the rule that was longest at the worst severity: the first sign may be of another rule. */
const SUBJECT = `CASE WHEN s.component = 'DA' AND told.rule IN (${wordsInSql(FINALITY_RULES)}) THEN 'FINALITY' ELSE s.component END`;

/** Chain of the node at its first sign. */
const CHAIN = chainThen('s', 'own');

/** Columns of {@link incidentsIn}. The position is that of the event that first reported the first sign. */
export const SELECT_INCIDENT = `
  SELECT own.node_key AS "nodeKey", s.node, s.from_at AS "rootFromAt", ${CHAIN} AS chain, s.component, ${SUBJECT} AS subject,
         told.from_at AS "fromAt", told.to_at AS "toAt", told.end_reason AS "endReason", ${firstReportOf('s')} AS position,
         told.severity, told.rule, told.reason, told.signs, told.last_sign_at AS "lastSignAt", told.trouble_ms AS "troubleMs",
         told.claim, told.claim_differed_ms AS "claimDifferedMs", told.parts, live.present, (extract(epoch FROM now()) * 1000)::float8 AS "nowMs", ack.by AS "acknowledgedBy", ack.at AS "acknowledgedAt"`;

/** SQL of the intervals `i` of trouble, as they are known now. */
export function trouble(columns: string): string {
  return `SELECT ${columns} FROM health_interval i WHERE i.to_position IS NULL AND ${TROUBLE}`;
}

/** Sort key of incidents; unique. */
export const INCIDENT_KEY = [
  { sql: 's.from_at', type: 'timestamptz' },
  { sql: 's.node', type: 'text' },
  { sql: 's.component', type: 'text' },
] as const;

export interface Incidents {
  /** `FROM …`. */
  readonly from: string;
  readonly conditions: readonly string[];
}

export interface IncidentConditions {
  readonly nodes?: string[] | null | undefined;
  readonly chains?: string[] | null | undefined;
  readonly components?: readonly string[] | null | undefined;
  readonly subjects?: readonly string[] | null | undefined;
  readonly severities?: string[] | null | undefined;
  readonly open?: boolean | null | undefined;
  readonly from?: Nanos | null | undefined;
  readonly to?: Nanos | null | undefined;
}

/**
 * SQL of incidents: `s` is the interval of health that an incident begins with, `own` is its node, `told` sums up the intervals
 * of all its nodes, `ack` is the first acknowledgement. The neighbours of an interval decide whether it is the first or last of
 * an incident, so a page reads only as much of a line as its rows need. Joined incidents are stored in `incident_join`.
 * @param past may be a past, with the intervals that were known in it
 */
export function incidentsIn(past: Past, parameters: SqlParameters): Incidents {
  const line = linesIn(past, parameters);
  const before = line.of(
    's',
    'i.node, i.component, i.from_at',
    ['i.from_at < s.from_at', TROUBLE],
    'ORDER BY i.from_at DESC LIMIT 1',
  );
  return {
    from: `FROM (SELECT i.* FROM ${healthKnownAt(past.knownAt)} WHERE ${[...line.stands, TROUBLE].join(' AND ')}) s
      JOIN node own ON own.id = s.node
      CROSS JOIN LATERAL (${line.span}) told
      CROSS JOIN LATERAL (SELECT ${selectPresent(past)} AS present) live
      LEFT JOIN LATERAL (${firstAcknowledgement(past, parameters)}) ack ON true`,
    conditions: [
      `NOT EXISTS (SELECT FROM (${before}) sign WHERE NOT ${line.isLast('sign')})`,
      `NOT EXISTS (SELECT FROM ${line.joins} WHERE j.node = s.node AND j.component = s.component AND j.from_at = s.from_at AND ${line.isJoined})`,
    ],
  };
}

function firstAcknowledgement({ knownAt, asOf }: Past, parameters: SqlParameters): string {
  const conditions = [
    "e.stream = s.node || '/incidents'",
    "e.type = 'IncidentAcknowledged'",
    "e.body->>'incident' = 'Incident:' || s.node || ':' || s.component || ':' || (extract(epoch FROM s.from_at) * 1000000)::bigint || '000'",
    ...parameters.compare('e.position', '<=', knownAt),
    ...parameters.compareTime('e.observed_at', '<', asOf),
  ];
  return `SELECT e.body->>'by' AS by, e.observed_at AS at FROM event e WHERE ${conditions.join(' AND ')} ORDER BY e.position LIMIT 1`;
}

export function filterIncidents(filter: IncidentConditions, parameters: SqlParameters): string[] {
  const { nodes, chains, components, subjects, severities, open, from, to } = filter;
  // A node may have joined the incident of another node.
  const named = nodes ? parameters.add(nodes, 'text[]') : '';
  const roots = `SELECT unnest(${named}) UNION SELECT j.root_node FROM incident_join j WHERE j.node = ANY (${named})`;
  return [
    ...(nodes ? [`s.node = ANY (ARRAY(${roots}))`, `told.nodes && ${named}`] : []),
    ...ofChains(chains, parameters),
    ...parameters.oneOf('s.component', components),
    ...parameters.oneOf(SUBJECT, subjects),
    ...parameters.oneOf('told.severity', severities),
    ...(typeof open === 'boolean' ? [`(told.to_at IS NULL) = ${String(open)}`] : []),
    ...parameters.compareTime("coalesce(told.to_at, 'infinity')", '>', from),
    ...parameters.compareTime('told.from_at', '<', to),
    // Uses the index: a joined node's first sign may be earlier than the first reported sign.
    ...parameters.compareTime('s.from_at', '<', typeof to === 'bigint' ? to + JOINED_WITHIN : to),
  ];
}

/** All nodes of an incident belonged to its chain, so it can only begin with nodes that have ever named that chain. */
function ofChains(chains: readonly string[] | null | undefined, parameters: SqlParameters): string[] {
  if (!chains) return [];
  const named = parameters.add(chains, 'text[]');
  const roots = `SELECT n.id FROM node n WHERE n.chain_id = ANY (${named})
    UNION SELECT n.id FROM node n JOIN node_chain c USING (node_key) WHERE c.chain_id = ANY (${named})`;
  return [`s.node = ANY (ARRAY(${roots}))`, `${CHAIN} = ANY (${named})`];
}

const ALL_COMPONENTS = `ARRAY[${HEALTH_COMPONENTS.map((each) => `'${each}'`).join(', ')}]`;

const JOINED_WITHIN: Nanos = millisToNanos(JOINED_WITHIN_MS);

/** SQL of the incidents that are open now: the node, component and first sign (`from_at`) that each began with. */
export function selectOpenRoots(line: Lines): string {
  const signs = line.of('l', 'i.node, i.component, i.from_at', [TROUBLE]);
  const last = `SELECT sign.from_at FROM (${signs}) sign WHERE ${line.isLast('sign')} ORDER BY sign.from_at DESC LIMIT 1`;
  const first = line.of('l', 'min(i.from_at) AS from_at', [
    TROUBLE,
    "i.from_at > coalesce(last.from_at, '-infinity')",
  ]);
  return `SELECT DISTINCT coalesce(j.root_node, l.node) AS node, l.component, coalesce(j.root_from_at, first.from_at) AS from_at
        FROM (SELECT id AS node, component FROM node, unnest(${ALL_COMPONENTS}) AS component) l
        LEFT JOIN LATERAL (${last}) last ON true
        CROSS JOIN LATERAL (${first}) first
        LEFT JOIN ${line.joins} ON j.node = l.node AND j.component = l.component AND j.from_at = first.from_at AND ${line.isJoined}
       WHERE first.from_at IS NOT NULL`;
}

/** SQL of the number of incidents that are open now, by severity. */
export function countOpenIncidents(parameters: SqlParameters): string {
  const line = linesIn({}, parameters);
  return `SELECT count(*) FILTER (WHERE told.severity = 'CRITICAL')::int AS "CRITICAL", count(*) FILTER (WHERE told.severity = 'WARNING')::int AS "WARNING"
    FROM (${selectOpenRoots(line)}) s
    CROSS JOIN LATERAL (${line.span}) told`;
}
