import { Inject, Injectable } from '@nestjs/common';
import type { SourceState } from '../../domain/events.js';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import { readThresholds } from '../../domain/health/health-thresholds.js';
import { findUnwatched } from '../../domain/health/unwatched.js';
import type { Micros, Millis } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor, selectList } from '../../platform/rows/row-columns.js';
import type { StatementSource } from '../../platform/sql.js';
import { AvailabilityIntervalEntity } from '../../tables/health/availability-interval.entity.js';
import { HealthIntervalEntity } from '../../tables/health/health-interval.entity.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { toNanos } from '../graphql/scalars.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import type { AvailabilityInterval, HealthInterval } from './health.type.js';
import { intervalConditions, LARGEST_HISTORY, requireBounded, type HistoryArgs } from './intervals.js';

/** A row as {@link HEALTH_COLUMNS} reads it. */
export interface HealthRow extends Omit<HealthIntervalEntity, 'component' | 'state'> {
  readonly component: HealthComponent;
  readonly state: HealthState;
  /** Of an interval that is open. */
  readonly lastSeenAt: Micros | null;
  /** The node's chain's own, of an interval that is open. */
  readonly thresholds: Readonly<Record<string, number>> | null;
}

interface AvailabilityRow extends Pick<AvailabilityIntervalEntity, 'fromAt' | 'toAt' | 'detail'> {
  readonly state: SourceState;
}

/** A look at another subject of the node says nothing of its list. The chain is the one that the intervals were made by. */
export const HEALTH_COLUMNS = `
  SELECT ${selectList(HealthIntervalEntity, 'i')}, t.thresholds,
         CASE WHEN i.component = 'DA' THEN coalesce(n.list_looked_at, n.last_seen_at) ELSE n.last_seen_at END AS "lastSeenAt"`;
export const FROM_HEALTH = `
    FROM health_interval i
    LEFT JOIN node n ON n.id = i.node AND i.to_at IS NULL
    LEFT JOIN health_fold f ON f.node = i.node AND i.to_at IS NULL
    LEFT JOIN health_threshold t ON t.chain = f.chain`;
const SELECT_HEALTH = `${HEALTH_COLUMNS} ${FROM_HEALTH}`;
const SELECT_AVAILABILITY = `
  SELECT ${selectList(AvailabilityIntervalEntity, 'i', ['fromAt', 'toAt', 'state', 'detail'])}
    FROM availability_interval i`;
const OLDEST_FIRST = `ORDER BY i.from_at LIMIT ${LARGEST_HISTORY + 1}`;

/** A moment of a node. */
export interface Moment {
  readonly node: string;
  readonly at: Micros;
}

export const MOMENTS = columnsFor({ node: 'text', at: 'timestamptz' });

/** Reads how a node fared over time. */
@Injectable()
export class HistoryQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: StatementSource,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  /** Intervals of a component, oldest first. */
  async getHealthHistory(component: HealthComponent, args: HistoryArgs): Promise<HealthInterval[]> {
    const parameters = new SqlParameters();
    const conditions = [
      ...intervalConditions(args, parameters),
      `i.component = ${parameters.add(component, 'text')}`,
    ];
    const rows = await this.dataSource.query<HealthRow[]>(
      `${SELECT_HEALTH} ${whereAll(conditions)} ${OLDEST_FIRST}`,
      parameters.values,
    );
    const now = this.options.clock.now();
    return requireBounded(rows).flatMap((row) => toHealthIntervals(row, now));
  }

  /** The present interval of a component of each node that has one. */
  async getPresentHealth(
    nodes: readonly string[],
    component: HealthComponent,
  ): Promise<ReadonlyMap<string, HealthInterval>> {
    const rows = await this.dataSource.query<HealthRow[]>(
      `${SELECT_HEALTH} WHERE i.node = ANY ($1::text[]) AND i.component = $2::text AND i.to_position IS NULL AND i.to_at IS NULL`,
      [nodes, component],
    );
    const now = this.options.clock.now();
    return new Map(
      rows.flatMap((row) => toHealthIntervals(row, now).map((interval) => [row.node, interval] as const)),
    );
  }

  /** The interval of data availability of each node at a moment, in their order; undefined where none covers it. */
  async getHealthAt(moments: readonly Moment[]): Promise<(HealthInterval | undefined)[]> {
    const asked = MOMENTS.unnest(moments, 'asked');
    const rows = await this.dataSource.query<HealthRow[]>(
      `${SELECT_HEALTH} WHERE i.component = 'DA' AND i.to_position IS NULL AND (i.node, i.from_at) IN (
         SELECT asked.node, (SELECT max(h.from_at) FROM health_interval h WHERE h.node = asked.node AND h.component = 'DA'
                                AND h.to_position IS NULL AND h.from_at <= asked.at) FROM ${asked.sql})`,
      [...asked.parameters],
    );
    const now = this.options.clock.now();
    const intervals = new Map<string, HealthInterval[]>();
    for (const row of rows)
      intervals.set(row.node, [...(intervals.get(row.node) ?? []), ...toHealthIntervals(row, now)]);
    return moments.map(({ node, at }) => {
      const moment = toNanos(at);
      return intervals.get(node)?.find(({ from, to }) => from <= moment && (to === null || to > moment));
    });
  }

  /** The status that each node claims now, as sent; nothing of a node that claims none. */
  async getPresentClaims(nodes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.dataSource.query<{ node: string; status: string }[]>(
      `SELECT node, status FROM claim
        WHERE node = ANY ($1::text[]) AND kind = 'health' AND to_position IS NULL AND status IS NOT NULL`,
      [nodes],
    );
    return new Map(rows.map((row) => [row.node, row.status]));
  }

  /** States of the list of submissions, oldest first. */
  async getAvailability(args: HistoryArgs): Promise<AvailabilityInterval[]> {
    const parameters = new SqlParameters();
    const rows = await this.dataSource.query<AvailabilityRow[]>(
      `${SELECT_AVAILABILITY} ${whereAll(intervalConditions(args, parameters))} ${OLDEST_FIRST}`,
      parameters.values,
    );
    return requireBounded(rows).map((row) => {
      const from = toNanos(row.fromAt);
      return { ...row, time: from, from, to: toNanos(row.toAt) };
    });
  }
}

/** The interval; where nobody looks at the node any more, ended where we stopped to know, and the unknown time behind it. */
export function toHealthIntervals(row: HealthRow, now: Millis): HealthInterval[] {
  const from = toNanos(row.fromAt);
  const interval = { ...row, time: from, from, to: toNanos(row.toAt) };
  const lastKnown = {
    interval,
    lastSeenAt: toNanos(row.lastSeenAt),
    lookedAt: row.component === 'DA' ? 'the list of submissions' : 'the node',
  };
  const unwatched = findUnwatched(lastKnown, readThresholds(row.thresholds ?? {}), now);
  if (!unwatched) return [interval];
  const unknown: HealthInterval = {
    ...unwatched,
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
