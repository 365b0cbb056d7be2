import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { microsToNanos, selectMicros, SqlParameters, whereAll } from '../graphql/sql-text.js';
import {
  HealthComponent,
  type Availability,
  type AvailabilityInterval,
  type HealthInterval,
  type HealthState,
} from './health.type.js';
import { LARGEST_HISTORY, overlapConditions, requireBounded, type HistoryArgs } from './intervals.js';
import { endUnwatched } from './unwatched.js';

/** A row as {@link SELECT_HEALTH} reads it. */
interface HealthRow {
  node: string;
  component: HealthComponent;
  from_at: string;
  to_at: string | null;
  state: HealthState;
  rule: string;
  reason: string;
  claim: string | null;
  claim_differs: boolean | null;
  last_seen_at: string | null;
}

interface AvailabilityRow {
  from_at: string;
  to_at: string | null;
  state: Availability;
  detail: string;
}

const SELECT_TIMES = `${selectMicros('from_at', 'from_at')}, ${selectMicros('to_at', 'to_at')}`;
/** A look at another subject of the node says nothing of its list. */
const LAST_SEEN = `(
  SELECT ${selectMicros("CASE WHEN health_interval.component = 'DA' THEN coalesce(list_looked_at, last_seen_at) ELSE last_seen_at END", 'last_seen_at')}
    FROM node WHERE id = health_interval.node)`;
const SELECT_HEALTH = `
  SELECT node, component, ${SELECT_TIMES}, state, rule, reason, claim, claim_differs, ${LAST_SEEN} AS last_seen_at
    FROM health_interval`;

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
      `node = ${parameters.add(args.node, 'text')}`,
      `component = ${parameters.add(component, 'text')}`,
      'to_position IS NULL',
      ...overlapConditions(args, parameters),
    ];
    const rows = await this.dataSource.query<HealthRow[]>(
      `${SELECT_HEALTH} ${whereAll(conditions)} ORDER BY health_interval.from_at LIMIT ${LARGEST_HISTORY + 1}`,
      parameters.values,
    );
    return requireBounded(rows).flatMap((row) => this.toHealthIntervals(row));
  }

  /** The present interval of a component of each node that has one. */
  async getPresentHealth(
    nodes: readonly string[],
    component: HealthComponent,
  ): Promise<ReadonlyMap<string, HealthInterval>> {
    const rows = await this.dataSource.query<HealthRow[]>(
      `${SELECT_HEALTH} WHERE node = ANY ($1::text[]) AND component = $2::text AND to_position IS NULL AND to_at IS NULL`,
      [nodes, component],
    );
    return new Map(
      rows.flatMap((row) => this.toHealthIntervals(row).map((interval) => [row.node, interval] as const)),
    );
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
    const conditions = [
      `node = ${parameters.add(args.node, 'text')}`,
      'to_position IS NULL',
      ...overlapConditions(args, parameters),
    ];
    const rows = await this.dataSource.query<AvailabilityRow[]>(
      `SELECT ${SELECT_TIMES}, state, detail FROM availability_interval ${whereAll(conditions)}
        ORDER BY availability_interval.from_at LIMIT ${LARGEST_HISTORY + 1}`,
      parameters.values,
    );
    return requireBounded(rows).map((row) => ({
      from: microsToNanos(row.from_at),
      to: microsToNanos(row.to_at),
      state: row.state,
      detail: row.detail,
    }));
  }

  private toHealthIntervals(row: HealthRow): HealthInterval[] {
    const interval: HealthInterval = {
      from: microsToNanos(row.from_at),
      to: microsToNanos(row.to_at),
      state: row.state,
      rule: row.rule,
      reason: row.reason,
      claim: row.claim,
      claimDiffers: row.claim_differs,
    };
    const at = row.component === HealthComponent.DA ? 'the list of submissions' : 'the node';
    return endUnwatched(interval, microsToNanos(row.last_seen_at), at, this.options.clock.now());
  }
}
