import { Inject, Injectable } from '@nestjs/common';
import type { HealthComponent, HealthState } from '../../domain/health/health-rule.js';
import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import { accountUptime, type StateTimes } from '../../domain/health/uptime.js';
import { bucketStart, bucketStarts, nextBucket } from '../../domain/statistics/time-buckets.js';
import { type Micros, microsToNanos, type Nanos, nanosToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { healthKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { mapInTimeSlices } from '../../platform/time-slices.js';
import {
  isOfClock,
  requireRange,
  requireShort,
  requireTimeZone,
  tooManyRows,
} from '../../statistics/read/plan/report-plan.js';
import { LARGEST_REPORT, type ReportBucket } from '../../statistics/read/plan/report-request.js';
import { getZones, zoneOf } from '../../statistics/read/plan/scope.query.js';
import { timesParameter } from '../../statistics/read/plan/stored-rows.js';
import { bucketEdges } from '../../statistics/read/plan/grouped-rows.js';
import { findPast, type Past } from '../graphql/time-travel.js';
import { HistoryQuery } from '../health/history.query.js';
import { UptimeRow } from './uptime.type.js';

/** A request for uptime. Times are Unix microseconds. */
export interface UptimeRequest {
  /** Ids; with several nodes, both times and a zone are required. */
  readonly nodes: readonly string[];
  readonly component: HealthComponent;
  readonly bucket: ReportBucket;
  readonly fromUs: Micros | undefined;
  readonly toUs: Micros | undefined;
  /** IANA name; the zone of the chain if left out. */
  readonly timeZone: string | undefined;
  /** Chain of the node. */
  readonly chain: string | null;
  /** Only what was recorded by then; everything known if left out. */
  readonly knownAt?: Nanos | null | undefined;
  readonly nowUs: Micros;
}

interface StateRow {
  readonly node: string;
  /** Counts from 1. */
  readonly bucket: number;
  readonly state: HealthState;
  readonly us: Micros;
}

/**
 * How long each state lasted in each bucket of each node. The first interval of a bucket is found from the bucket's start, and
 * the others begin in the bucket, so no interval is read for a bucket that it does not overlap.
 *
 * $1: edges; $2: nodes; $3: component; $4: time up to which the open interval of each node is known.
 */
const standing = ({ knownAt }: Past): string => `
  SELECT i.from_at, coalesce(i.to_at, known_to) AS to_at, i.state FROM ${healthKnownAt(knownAt)}
   WHERE i.node = who.node AND i.component = $3::text AND i.to_position IS NULL`;
const states = (past: Past): string => `
  WITH edge AS (SELECT row_number() OVER () AS bucket, at AS start_at, lead(at) OVER () AS end_at
                  FROM unnest($1::timestamptz[]) AS at)
  SELECT who.node, bucket::int, state,
         (extract(epoch FROM sum(least(i.to_at, end_at) - greatest(i.from_at, start_at))) * 1000000)::bigint AS us
    FROM edge CROSS JOIN unnest($2::text[], $4::timestamptz[]) AS who(node, known_to) CROSS JOIN LATERAL (
         (${standing(past)} AND i.from_at <= start_at ORDER BY i.from_at DESC LIMIT 1)
         UNION ALL
         (${standing(past)} AND i.from_at > start_at AND i.from_at < end_at)) i
   WHERE start_at < end_at AND i.to_at > greatest(i.from_at, start_at)
   GROUP BY who.node, bucket, state`;

@Injectable()
export class UptimeQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly history: HistoryQuery,
  ) {}

  /**
   * One row per bucket between the two times, node by node.
   * @throws ReadFault BAD_INPUT for an unknown zone, times that are not a range, or too many buckets
   */
  async getUptime(request: UptimeRequest): Promise<UptimeRow[]> {
    const { bucket } = request;
    requireRange(request.fromUs, request.toUs);
    const zone = await this.findZone(request);
    const past = await findPast(this.reads, { knownAt: request.knownAt ?? null });
    const end = past.end === undefined ? request.nowUs : nanosToMicros(past.end);
    const nowUs = end < request.nowUs ? end : request.nowUs;
    const fromUs = request.fromUs ?? (await this.findStart(request, zone, past));
    const toUs = request.toUs ?? nowUs;
    if (fromUs === undefined || fromUs >= toUs) return [];
    requireShort(bucket, fromUs, toUs);
    const starts = bucketStarts(fromUs, toUs, bucket, zone, LARGEST_REPORT);
    if (starts === undefined) throw tooManyRows(`more than ${LARGEST_REPORT}`, bucket);
    const { nodes } = request;
    const count = starts.length * nodes.length;
    if (count > LARGEST_REPORT) throw tooManyRows(String(count), bucket);
    const endUs = nextBucket(starts.at(-1) ?? fromUs, bucket, zone);
    const edges = bucketEdges({ bucketStarts: starts, endUs, fromUs, toUs, nowUs });
    const times = new Map<string, Partial<Record<HealthState, Micros>>>();
    const keyOf = (node: string, index: number): string => `${index} ${node}`;
    for (const { node, bucket: number, state, us } of edges
      ? await this.getStates({ ...request, nowUs }, edges, past)
      : []) {
      const key = keyOf(node, number - 1);
      times.set(key, { ...times.get(key), [state]: us });
    }
    return mapInTimeSlices([...Array(count).keys()], (place) => {
      const index = place % starts.length;
      const node = nodes[Math.floor(place / starts.length)] ?? '';
      const lengthUs = edges ? (edges[index + 1] ?? 0n) - (edges[index] ?? 0n) : 0n;
      const states: StateTimes = times.get(keyOf(node, index)) ?? {};
      const time = microsToNanos(starts[index] ?? fromUs);
      return Object.assign(new UptimeRow(), accountUptime(states, lengthUs), { node, time });
    });
  }

  private async getStates(
    { nodes, component, nowUs }: UptimeRequest,
    edges: readonly Micros[],
    past: Past,
  ): Promise<StateRow[]> {
    const present = await this.history.getPresentHealth(nodes, component, past);
    // If a node is no longer polled, its open interval is known only up to that time.
    const knownTo = nodes.map((node) => {
      const interval = present.get(node);
      return interval && UNWATCHED_RULES.has(interval.rule) ? nanosToMicros(interval.from) : nowUs;
    });
    return this.reads.query<StateRow[]>(states(past), [
      timesParameter(edges),
      nodes,
      component,
      timesParameter(knownTo),
    ]);
  }

  /** Start of the bucket with the first poll; its time before that poll is unknown. */
  private async findStart(
    { nodes, component, bucket }: UptimeRequest,
    zone: string,
    { knownAt }: Past,
  ): Promise<Micros | undefined> {
    const rows = await this.reads.query<{ from: Micros }[]>(
      `SELECT i.from_at AS from FROM ${healthKnownAt(knownAt)}
        WHERE i.node = $1::text AND i.component = $2::text AND i.to_position IS NULL ORDER BY i.from_at LIMIT 1`,
      [nodes[0], component],
    );
    const first = rows[0]?.from;
    return first === undefined ? undefined : bucketStart(first, bucket, zone);
  }

  /** Hours are UTC hours unless the request names a time zone. */
  private async findZone({ timeZone, bucket, chain }: UptimeRequest): Promise<string> {
    if (timeZone !== undefined) return requireTimeZone(timeZone);
    if (isOfClock(bucket) || chain === null) return 'UTC';
    const zones = await getZones((sql, parameters = []) => this.reads.query(sql, [...parameters]));
    return zoneOf({ zones }, chain);
  }
}
