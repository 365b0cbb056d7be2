import { nearestCount, toMicros } from '../domain/bounds.js';
import {
  ownerOf,
  type LatencySummary,
  type ProbeEvents,
  type ProbeName,
  type RecordedEvent,
} from '../domain/events.js';
import type { Millis } from '../domain/time.js';
import { column, unnestRows } from '../platform/unnest-rows.js';
import type { Query } from './projection.js';

const MINUTE_MS = 60_000;

interface MinuteRow {
  readonly node: string;
  readonly probe: ProbeName;
  /** Start of the minute. */
  readonly at: Millis;
  ok: number;
  failed: number;
  latency: LatencySummary | null;
  readonly fromPosition: bigint;
  lastPosition: bigint;
}

const decimal = (read: (latency: LatencySummary) => number) => (row: MinuteRow) => {
  const ms = row.latency === null ? NaN : read(row.latency);
  return Number.isFinite(ms) ? String(ms) : null;
};

const COLUMNS = [
  column('node', 'text', (row: MinuteRow) => row.node),
  column('probe', 'text', (row: MinuteRow) => row.probe),
  column('minute_at', 'timestamptz', (row: MinuteRow) => toMicros(row.at)),
  column('ok', 'int4', (row: MinuteRow) => nearestCount(row.ok)),
  column('failed', 'int4', (row: MinuteRow) => nearestCount(row.failed)),
  column('latency_count', 'int4', (row: MinuteRow) => nearestCount(row.latency?.count ?? 0)),
  column(
    'min_ms',
    'numeric',
    decimal((latency) => latency.minMs),
  ),
  column(
    'mean_ms',
    'numeric',
    decimal((latency) => latency.meanMs),
  ),
  column(
    'p50_ms',
    'numeric',
    decimal((latency) => latency.p50Ms),
  ),
  column(
    'p99_ms',
    'numeric',
    decimal((latency) => latency.p99Ms),
  ),
  column(
    'max_ms',
    'numeric',
    decimal((latency) => latency.maxMs),
  ),
  column('from_position', 'int8', (row: MinuteRow) => row.fromPosition),
  column('last_position', 'int8', (row: MinuteRow) => row.lastPosition),
];
const CHANGES = COLUMNS.slice(3)
  .filter(({ name }) => name !== 'from_position')
  .map(({ name }) => `${name} = excluded.${name}`)
  .join(', ');

/** Adds the summaries among these events to the minutes in which they begin. */
export async function foldMinutes(events: readonly RecordedEvent[], query: Query): Promise<void> {
  const summaries = events.flatMap((event) => (event.type === 'ProbesSummarised' ? [event] : []));
  if (summaries.length === 0) return;
  const minutes = await loadMinutes(summaries, query);
  for (const { stream, position, body } of summaries) {
    const at = minuteOf(body);
    for (const [probe, summary] of Object.entries(body.probes)) {
      const node = ownerOf(stream);
      const key = `${probe} ${at} ${node}`;
      const known = minutes.get(key);
      const fresh = { node, probe: probe as ProbeName, at, fromPosition: position, lastPosition: position };
      const row = known ?? { ...fresh, ok: 0, failed: 0, latency: null };
      minutes.set(key, row);
      row.ok += summary.ok;
      row.failed += summary.failed;
      row.latency = joinLatencies(row.latency, summary.latency);
      row.lastPosition = position;
    }
  }
  await writeMinutes([...minutes.values()], query);
}

function minuteOf({ from }: ProbeEvents['ProbesSummarised']): Millis {
  return Math.floor(Number(toMicros(from) / 1000n) / MINUTE_MS) * MINUTE_MS;
}

/** Of several summaries the median cannot be known; the mean weighted by answers stands in for it. */
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

async function loadMinutes(
  summaries: readonly { readonly stream: string; readonly body: ProbeEvents['ProbesSummarised'] }[],
  query: Query,
): Promise<Map<string, MinuteRow>> {
  const rows = await query<Record<string, number | string | null>>(
    `SELECT node, probe, (extract(epoch FROM minute_at) * 1000)::bigint AS at_ms, ok, failed, latency_count,
            min_ms, mean_ms, p50_ms, p99_ms, max_ms, from_position, last_position
       FROM probe_minute JOIN unnest($1::text[], $2::bigint[]) AS wanted (id, ms)
         ON node = wanted.id AND minute_at = to_timestamp(wanted.ms / 1000)`,
    [summaries.map(({ stream }) => ownerOf(stream)), summaries.map(({ body }) => String(minuteOf(body)))],
  );
  return new Map(rows.map(toMinute).map((row) => [`${row.probe} ${row.at} ${row.node}`, row]));
}

function toMinute(row: Record<string, number | string | null>): MinuteRow {
  const number = (name: string) => Number(row[name]);
  const latency = {
    count: number('latency_count'),
    minMs: number('min_ms'),
    meanMs: number('mean_ms'),
    p50Ms: number('p50_ms'),
    p99Ms: number('p99_ms'),
    maxMs: number('max_ms'),
  };
  return {
    node: row['node'] as string,
    probe: row['probe'] as ProbeName,
    at: number('at_ms'),
    ok: number('ok'),
    failed: number('failed'),
    latency: row['min_ms'] === null ? null : latency,
    fromPosition: BigInt(row['from_position'] ?? 0),
    lastPosition: BigInt(row['last_position'] ?? 0),
  };
}

async function writeMinutes(rows: readonly MinuteRow[], query: Query): Promise<void> {
  if (rows.length === 0) return;
  const { sql, names, parameters } = unnestRows(COLUMNS, rows);
  await query(
    `INSERT INTO probe_minute (${names}) SELECT ${names} FROM ${sql}
     ON CONFLICT (node, probe, minute_at) DO UPDATE SET ${CHANGES}`,
    parameters,
  );
}
