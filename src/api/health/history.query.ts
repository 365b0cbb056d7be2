import { Inject, Injectable } from '@nestjs/common';
import type { SourceState } from '../../domain/events.js';
import type { HealthFold } from '../../domain/health/health-fold.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import { readThresholds } from '../../domain/health/health-thresholds.js';
import { findPresentTrouble } from '../../domain/health/present-trouble.js';
import { findUnwatched } from '../../domain/health/unwatched.js';
import type { Micros, Millis, Nanos } from '../../domain/time.js';
import { lastRecordedPolls } from '../../event-log/known-polls.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor, selectList } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { healthKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { AvailabilityIntervalEntity, HealthIntervalEntity } from '../../tables/health.entities.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import {
  findPast,
  PRESENT,
  presentOf,
  untilAsOf,
  type Past,
  type TravelArgs,
} from '../graphql/time-travel.js';
import type { AvailabilityInterval, HealthInterval } from './health.type.js';
import { intervalConditions, LARGEST_HISTORY, requireBounded, type HistoryArgs } from './intervals.js';
import { rowId, versionOf } from '../objects/row-id.js';

/** A row as {@link HEALTH_COLUMNS} reads it. */
export interface HealthRow extends Omit<HealthIntervalEntity, 'component' | 'state'> {
  readonly component: HealthComponent;
  readonly state: HealthState;
  /** Last poll of the component, whatever its result; only for an open interval. */
  readonly lastLookedAt: Micros | null;
  /** Thresholds of the node's chain; only for an open interval. */
  readonly thresholds: Readonly<Record<string, number>> | null;
  /** The stored health state of the node; null unless the interval is open trouble. */
  readonly fold: HealthFold | null;
}

interface AvailabilityRow extends Pick<AvailabilityIntervalEntity, 'fromAt' | 'toAt' | 'detail'> {
  readonly state: SourceState;
}

/** Last poll of the component of an open interval `i`, by its node `n`. */
export const LAST_POLLED = `CASE i.component WHEN 'NODE' THEN greatest(n.last_seen_at, n.list_looked_at)
  WHEN 'DA_NODE' THEN ${polledOf('daNode')} WHEN 'EXECUTION' THEN ${polledOf('execution')} ELSE coalesce(n.list_looked_at, n.last_seen_at) END`;

/** A system behind the node has polls of its own. */
function polledOf(member: 'daNode' | 'execution'): string {
  return `(SELECT to_timestamp((s.state #>> '{${member},facts,polledAt}')::float8 / 1000) FROM health_fold s WHERE s.node = i.node)`;
}

/**
 * A poll of another subject of the node says nothing about its list. A node that does not answer is not seen, but its list is
 * polled all the same. The chain is the one by which the intervals were made.
 */
export const HEALTH_COLUMNS = `
  SELECT ${selectList(HealthIntervalEntity, 'i')}, t.thresholds,
         CASE WHEN i.state IN ('WARNING', 'CRITICAL') THEN f.state END AS fold,
         ${LAST_POLLED} AS "lastLookedAt"`;
const JOIN_NODES = `
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
    LEFT JOIN health_fold f ON f.node = i.node AND i.to_at IS NULL
    LEFT JOIN health_threshold t ON t.chain = f.chain`;

/**
 * `FROM …` of the intervals `i` as they were known, with former versions shown as current, and the last poll of `n` known
 * by then.
 */
export function fromHealth({ knownAt }: Past): string {
  if (knownAt === undefined) return `FROM health_interval i ${JOIN_NODES}`;
  const looks = lastRecordedPolls('i.node', knownAt);
  const nodes = `LATERAL (SELECT node.id, least(node.last_seen_at, looks.any_at) AS last_seen_at, least(node.list_looked_at, looks.list_at) AS list_looked_at
    FROM node, LATERAL (${looks}) looks WHERE node.id = i.node AND i.to_at IS NULL)`;
  return `FROM ${healthKnownAt(knownAt)} ${JOIN_NODES.replace('JOIN node', `JOIN ${nodes}`)}`;
}

const SELECT_AVAILABILITY = `
  SELECT ${selectList(AvailabilityIntervalEntity, 'i', ['fromAt', 'toAt', 'state', 'detail'])}
    FROM availability_interval i`;
const OLDEST_FIRST = `ORDER BY i.from_at LIMIT ${LARGEST_HISTORY + 1}`;

export interface NodeMoment {
  readonly node: string;
  readonly at: Micros;
}

export const MOMENTS = columnsFor({ node: 'text', at: 'timestamptz' });

@Injectable()
export class HistoryQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  /** Intervals of a component, oldest first. */
  async getHealthHistory(
    component: HealthComponent,
    args: HistoryArgs,
    travel: TravelArgs,
  ): Promise<HealthInterval[]> {
    const past = await findPast(this.reads, travel);
    const parameters = new SqlParameters();
    const conditions = [
      ...intervalConditions(untilAsOf(args, past), parameters),
      `i.component = ${parameters.add(component, 'text')}`,
    ];
    const rows = await this.reads.query<HealthRow[]>(
      `${HEALTH_COLUMNS} ${fromHealth(past)} ${whereAll(conditions)} ${OLDEST_FIRST}`,
      parameters.values,
    );
    const now = this.options.clock.now();
    return requireBounded(rows).flatMap((row) => toHealthIntervals(row, now, past));
  }

  /** The present interval of a component, by node; for a past, the interval at that time. Nodes without one are missing. */
  async getPresentHealth(
    nodes: readonly string[],
    component: HealthComponent,
    past = PRESENT,
  ): Promise<ReadonlyMap<string, HealthInterval>> {
    const lines = await this.getPresentLines(nodes, [component], past);
    return lines.get(component) ?? new Map();
  }

  /** As {@link getPresentHealth}, for several components in one statement. */
  async getPresentLines(
    nodes: readonly string[],
    components: readonly HealthComponent[],
    past = PRESENT,
  ): Promise<ReadonlyMap<HealthComponent, ReadonlyMap<string, HealthInterval>>> {
    const parameters = new SqlParameters();
    const conditions = [
      `i.node = ANY (${parameters.add(nodes, 'text[]')})`,
      `i.component = ANY (${parameters.add(components, 'text[]')})`,
      'i.to_position IS NULL',
      ...openConditions('i.from_at', 'i.to_at', past, parameters),
    ];
    const rows = await this.reads.query<HealthRow[]>(
      `${HEALTH_COLUMNS} ${fromHealth(past)} ${whereAll(conditions)}`,
      parameters.values,
    );
    const now = this.options.clock.now();
    const lines = new Map(components.map((each) => [each, new Map<string, HealthInterval>()]));
    for (const row of rows) {
      for (const interval of toHealthIntervals(row, now, past))
        lines.get(row.component)?.set(row.node, interval);
    }
    return lines;
  }

  /** The interval of a component at each moment of a past, in the order of `moments`; undefined if no interval covers it. */
  async getHealthAt(
    moments: readonly NodeMoment[],
    component: HealthComponent = 'DA',
    past = PRESENT,
  ): Promise<(HealthInterval | undefined)[]> {
    const wanted = MOMENTS.unnest(moments, 'asked');
    const name = `$${wanted.parameters.length + 1}::text`;
    const rows = await this.reads.query<HealthRow[]>(
      `${HEALTH_COLUMNS} ${fromHealth(past)} WHERE i.component = ${name} AND i.to_position IS NULL AND (i.node, i.from_at) IN (
         SELECT asked.node, (SELECT max(i.from_at) FROM ${healthKnownAt(past.knownAt)} WHERE i.node = asked.node
                                AND i.component = ${name} AND i.to_position IS NULL AND i.from_at <= asked.at) FROM ${wanted.sql})`,
      [...wanted.parameters, component],
    );
    const now = this.options.clock.now();
    const intervals = new Map<string, HealthInterval[]>();
    for (const row of rows)
      intervals.set(row.node, [...(intervals.get(row.node) ?? []), ...toHealthIntervals(row, now, past)]);
    return moments.map(({ node, at }) => {
      const moment = toNanos(at);
      return intervals.get(node)?.find(({ from, to }) => from <= moment && (to === null || to > moment));
    });
  }

  /** The status that each node claims now, or claimed in a past, as sent. Nodes that claim no status are missing. */
  async getPresentClaims(nodes: readonly string[], past = PRESENT): Promise<ReadonlyMap<string, string>> {
    const parameters = new SqlParameters();
    const wanted = `unnest(${parameters.add(nodes, 'text[]')}) AS asked (node)`;
    const conditions = [
      'c.node = asked.node',
      "c.kind = 'health'",
      ...(past.end === undefined ? ['c.to_position IS NULL'] : []),
      ...parameters.compareTime('c.observed_at', '<', past.end),
      ...parameters.compare('c.from_position', '<=', past.knownAt),
    ];
    const rows = await this.reads.query<{ node: string; status: string }[]>(
      `SELECT asked.node, c.status FROM ${wanted} CROSS JOIN LATERAL (
         SELECT c.status FROM claim c ${whereAll(conditions)}
          ORDER BY c.observed_at DESC, c.from_position DESC LIMIT 1) c WHERE c.status IS NOT NULL`,
      parameters.values,
    );
    return new Map(rows.map((row) => [row.node, row.status]));
  }

  /** States of the list of submissions, oldest first. */
  async getAvailability(args: HistoryArgs): Promise<AvailabilityInterval[]> {
    const parameters = new SqlParameters();
    const rows = await this.reads.query<AvailabilityRow[]>(
      `${SELECT_AVAILABILITY} ${whereAll(intervalConditions(args, parameters))} ${OLDEST_FIRST}`,
      parameters.values,
    );
    return requireBounded(rows).map((row) => {
      const from = toNanos(row.fromAt);
      const id = rowId('AvailabilityInterval', args.node, from);
      return { ...row, id, time: from, from, to: toNanos(row.toAt) };
    });
  }
}

/** Conditions for the present interval, or for the interval just before the time of a past. */
function openConditions(from: string, to: string, { asOf }: Past, parameters: SqlParameters): string[] {
  if (asOf === undefined) return [`${to} IS NULL`];
  return [
    ...parameters.compareTime(from, '<', asOf),
    ...parameters.compareTime(`coalesce(${to}, 'infinity')`, '>=', asOf),
  ];
}

/** Reason of ongoing trouble as of now: the stored reason was written when the interval began. */
function presentReason(
  { component, rule, fold, thresholds }: HealthRow,
  now: Millis,
  { asOf, knownAt }: Past,
): string | undefined {
  if (fold === null || asOf !== undefined || knownAt !== undefined) return undefined;
  const present = findPresentTrouble(component, fold, thresholds, now);
  return present?.rule === rule ? present.reason : undefined;
}

/** The interval. If the node is no longer polled, the interval ends where knowledge ends, and an unknown interval follows. */
export function toHealthIntervals(row: HealthRow, clockNow: Millis, past = PRESENT): HealthInterval[] {
  const now = presentOf(past, clockNow);
  const from = toNanos(row.fromAt);
  const ended = toNanos(row.toAt);
  const isOver = past.asOf === undefined || (ended !== null && ended < past.asOf);
  const named = (since: Nanos) => {
    const id = rowId('HealthInterval', row.node, row.component, since);
    return { id, versionId: versionOf(id, past) };
  };
  const interval = {
    ...row,
    reason: presentReason(row, now, past) ?? row.reason,
    ...named(from),
    limit: row.limitValue,
    time: from,
    from,
    to: isOver ? ended : null,
  };
  const lastKnown = {
    interval,
    lastLookedAt: toNanos(row.lastLookedAt),
    lookedAt: row.component === 'NODE' ? 'the node' : 'the submissions list',
  };
  const unwatched = findUnwatched(lastKnown, readThresholds(row.thresholds ?? {}), now);
  if (!unwatched) return [interval];
  const unknown: HealthInterval = {
    ...unwatched,
    ...unwatched.limit,
    ...named(unwatched.from),
    time: unwatched.from,
    to: null,
    state: 'UNKNOWN',
    rule: 'not-watched',
    claim: null,
    claimDiffers: null,
  };
  const isNothingLeft = unwatched.from === interval.from;
  return isNothingLeft ? [unknown] : [{ ...interval, to: unwatched.from }, unknown];
}
