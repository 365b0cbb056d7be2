import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import type { Micros } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';
import {
  healthKnownAt,
  statedLossesKnownAt,
  versionsKnownAt,
} from '../../projections/record/readers/known-rows.reader.js';
import { timesParameter } from '../../statistics/read/plan/stored-rows.js';
import { AvailabilityIntervalEntity } from '../../tables/health.entities.js';
import { firstReportOf } from '../../alerts/health-spans.js';

/** Lines of each kind in a timeline. */
export const MOST_LINES = 500;

export interface IncidentState {
  readonly node: string;
  readonly state: HealthState;
  readonly rule: string;
  readonly reason: string;
  readonly fromUs: Micros;
  readonly toUs: Micros | null;
  /** Position of the event that reported it. */
  readonly position: bigint;
}

export interface IncidentGap {
  readonly node: string;
  readonly kind: string;
  readonly toUs: Micros;
  readonly minLost: bigint;
  readonly maxLost: bigint | null;
  readonly position: bigint;
}

/** A change of leader: the node began or stopped submitting for its chain. */
export interface LeaderChange {
  readonly node: string;
  readonly fromUs: Micros;
  readonly leads: boolean;
  readonly position: bigint;
}

interface PostMortemScope {
  readonly nodes: readonly string[];
  readonly fromUs: Micros;
  readonly toUs: Micros;
  readonly knownAt?: bigint | undefined;
}

/** The first states; one more than `most` if there are more. */
export function readStates(
  dataSource: Database,
  { nodes, component, fromUs, toUs, knownAt }: PostMortemScope & { readonly component: HealthComponent },
  most: number,
): Promise<IncidentState[]> {
  return dataSource.query<IncidentState[]>(
    `SELECT i.node, i.state, i.rule, i.reason, i.from_at AS "fromUs", i.to_at AS "toUs", ${firstReportOf('i')} AS position
       FROM ${healthKnownAt(knownAt)}
      WHERE i.node = ANY ($1::text[]) AND i.component = $3::text AND i.to_position IS NULL
        AND i.from_at < ($2::timestamptz[])[2] AND coalesce(i.to_at, 'infinity') > ($2::timestamptz[])[1]
      ORDER BY i.from_at, i.node LIMIT ${most + 1}`,
    [nodes, timesParameter([fromUs, toUs]), component],
  );
}

/** Gaps that overlap the time, ordered by their ends; one more than {@link MOST_LINES} if there are more. */
export function readGaps(
  dataSource: Database,
  { nodes, fromUs, toUs, knownAt }: PostMortemScope,
): Promise<IncidentGap[]> {
  return dataSource.query<IncidentGap[]>(
    `SELECT n.id AS node, l.kind, l.to_at AS "toUs", l.min_lost AS "minLost", l.max_lost AS "maxLost", l.loss_position AS position
       FROM ${statedLossesKnownAt(knownAt)} JOIN node n USING (node_key)
      WHERE n.id = ANY ($1::text[]) AND l.kind <> 'BEFORE_START' AND l.to_position IS NULL
        AND l.from_at < ($2::timestamptz[])[2] AND l.to_at > ($2::timestamptz[])[1]
      ORDER BY l.to_at LIMIT ${MOST_LINES + 1}`,
    [nodes, timesParameter([fromUs, toUs])],
  );
}

/** States between two lists, such as a time without an answer, are not a change of leader. */
export function readLeaderChanges(
  dataSource: Database,
  { nodes, fromUs, toUs, knownAt }: PostMortemScope,
): Promise<LeaderChange[]> {
  return dataSource.query<LeaderChange[]>(
    `SELECT node, from_at AS "fromUs", leads, position FROM (
       SELECT node, from_at, state = 'AVAILABLE' AS leads, from_position AS position,
              lag(state = 'AVAILABLE') OVER (PARTITION BY node ORDER BY from_at) AS led
         FROM ${versionsKnownAt(knownAt, AvailabilityIntervalEntity, 'a')}
        WHERE node = ANY ($1::text[]) AND to_position IS NULL AND state IN ('AVAILABLE', 'NOT_AGGREGATOR')
          AND from_at < ($2::timestamptz[])[2]) parts
      WHERE leads <> led AND from_at >= ($2::timestamptz[])[1] ORDER BY from_at LIMIT ${MOST_LINES + 1}`,
    [nodes, timesParameter([fromUs, toUs])],
  );
}
