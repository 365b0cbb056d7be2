import { nearestCount, toCount, toMicros } from '../domain/bounds.js';
import { eventsOn } from '../domain/event-shape.js';
import { type LatencySummary, ownerOf, type ProbeName, type RecordedEvent } from '../domain/events.js';
import type { Micros } from '../domain/time.js';
import { columnsOf, selectList } from '../platform/rows/row-columns.js';
import { RowVersions } from '../platform/rows/row-versions.js';
import { upsertRows } from '../platform/rows/write-rows.js';
import { ProbeMinuteEntity, ProbeStateEntity } from '../tables/health.entities.js';
import type { HandledEvent, Projection, Query } from './projection.js';

type Summarised = Extract<RecordedEvent, { type: 'ProbesSummarised' }>;

const MINUTE_US: Micros = 60_000_000n;
const WANTED = columnsOf(ProbeMinuteEntity, 'node', 'minuteAt');

/** A minute in the course of adding summaries. */
interface Minute extends Omit<
  ProbeMinuteEntity,
  'latencyCount' | 'minMs' | 'meanMs' | 'p50Ms' | 'p99Ms' | 'maxMs'
> {
  latency: LatencySummary | null;
}

/** Adds each summary to the minute in which it begins. */
async function foldMinutes(summaries: readonly Summarised[], query: Query): Promise<void> {
  if (summaries.length === 0) return;
  const minutes = await loadMinutes(summaries, query);
  for (const { stream, position, body } of summaries) {
    const place = { node: ownerOf(stream), minuteAt: minuteOf(body) };
    for (const [name, summary] of Object.entries(body.probes)) {
      const probe = name as ProbeName;
      const key = keyOf({ ...place, probe });
      const positions = { fromPosition: position, lastPosition: position };
      const minute = minutes.get(key) ?? { ...place, probe, ok: 0, failed: 0, latency: null, ...positions };
      minutes.set(key, minute);
      minute.ok += summary.ok;
      minute.failed += summary.failed;
      minute.latency = joinLatencies(minute.latency, summary.latency);
      minute.lastPosition = position;
    }
  }
  await upsertRows(query, ProbeMinuteEntity, [...minutes.values()].map(toRow));
}

function minuteOf({ from }: Summarised['body']): Micros {
  const us = toMicros(from);
  return us - (us % MINUTE_US);
}

function keyOf({ probe, minuteAt, node }: Pick<Minute, 'probe' | 'minuteAt' | 'node'>): string {
  return `${probe} ${minuteAt} ${node}`;
}

/** Quantiles cannot be joined exactly: p50 becomes the mean of both, weighted by answers, and p99 the higher of the two. */
function joinLatencies(a: LatencySummary | null, b: LatencySummary | null): LatencySummary | null {
  if (a === null || b === null) return a ?? b;
  const count = a.count + b.count;
  const weigh = (x: number, y: number) => (x * a.count + y * b.count) / count;
  return {
    count,
    minMs: Math.min(a.minMs, b.minMs),
    meanMs: weigh(a.meanMs, b.meanMs),
    p50Ms: weigh(a.p50Ms, b.p50Ms),
    p99Ms: Math.max(a.p99Ms, b.p99Ms),
    maxMs: Math.max(a.maxMs, b.maxMs),
  };
}

async function loadMinutes(summaries: readonly Summarised[], query: Query): Promise<Map<string, Minute>> {
  const places = summaries.map(({ stream, body }) => ({ node: ownerOf(stream), minuteAt: minuteOf(body) }));
  const wanted = WANTED.unnest(places, 'w');
  const rows = await query<Readonly<ProbeMinuteEntity>>(
    `SELECT ${selectList(ProbeMinuteEntity, 'm')} FROM ${wanted.sql} JOIN probe_minute m USING (${wanted.names})`,
    wanted.parameters,
  );
  return new Map(rows.map((row) => [keyOf(row), { ...row, latency: latencyOf(row) }]));
}

function latencyOf(row: ProbeMinuteEntity): LatencySummary | null {
  const { latencyCount: count, minMs, meanMs, p50Ms, p99Ms, maxMs } = row;
  if (minMs === null) return null;
  return { count, minMs, meanMs: meanMs ?? 0, p50Ms: p50Ms ?? 0, p99Ms: p99Ms ?? 0, maxMs: maxMs ?? 0 };
}

function toRow({ latency, ...minute }: Minute): ProbeMinuteEntity {
  const orNull = (ms: number | undefined) => (ms !== undefined && Number.isFinite(ms) ? ms : null);
  return {
    ...minute,
    ok: nearestCount(minute.ok),
    failed: nearestCount(minute.failed),
    latencyCount: nearestCount(latency?.count ?? 0),
    minMs: orNull(latency?.minMs),
    meanMs: orNull(latency?.meanMs),
    p50Ms: orNull(latency?.p50Ms),
    p99Ms: orNull(latency?.p99Ms),
    maxMs: orNull(latency?.maxMs),
  };
}

const HANDLES = eventsOn('probes');

/** The probe results and response times of each node: every change, and totals per minute. */
export class ProbesProjection implements Projection {
  readonly name = 'probes';
  readonly version = 1;
  readonly tables = ['probe_minute', 'probe_state'];
  readonly handles = HANDLES;

  async apply(events: readonly HandledEvent<typeof HANDLES>[], query: Query): Promise<void> {
    const states = new RowVersions(ProbeStateEntity, ['node', 'probe']);
    const summaries: Summarised[] = [];
    for (const event of events) {
      switch (event.type) {
        case 'ProbeChanged': {
          const { probe, outcome, detail, latencyMs } = event.body;
          const node = ownerOf(event.stream);
          const statusCode = toCount(event.body.statusCode);
          const catchingUp = event.body.catchingUp ?? null;
          const found = { outcome, statusCode, detail, latencyMs, catchingUp };
          states.put({ node, probe, fromAt: event.observedAt, ...found }, event.position);
          break;
        }
        case 'ProbesSummarised':
          summaries.push(event);
          break;
        default:
          event satisfies never;
      }
    }
    await states.write(query);
    await foldMinutes(summaries, query);
  }
}
