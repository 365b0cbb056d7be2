import { toCount } from '../domain/bounds.js';
import { eventsOn } from '../domain/event-shape.js';
import { ownerOf, type EventType, type ProbeEvents, type RecordedEvent } from '../domain/events.js';
import { column, unnestRows } from '../platform/unnest-rows.js';
import { foldMinutes } from './probe-minutes.js';
import type { Projection, Query } from './projection.js';
import { RowVersions, type RowVersion } from './row-versions.js';

interface StateRow {
  readonly node: string;
  /** Unix microseconds. */
  readonly at: bigint;
  readonly body: ProbeEvents['ProbeChanged'];
}
type Version = RowVersion<StateRow>;
type Retired = RowVersions<StateRow>['retired'][number];

const COLUMNS = [
  column('node', 'text', ({ row }: Version) => row.node),
  column('probe', 'text', ({ row }: Version) => row.body.probe),
  column('from_at', 'timestamptz', ({ row }: Version) => row.at),
  column('outcome', 'text', ({ row }: Version) => row.body.outcome),
  column('status_code', 'int4', ({ row }: Version) => toCount(row.body.statusCode)),
  column('detail', 'text', ({ row }: Version) => row.body.detail),
  column('latency_ms', 'numeric', ({ row }: Version) =>
    row.body.latencyMs === null ? null : String(row.body.latencyMs),
  ),
  column('catching_up', 'bool', ({ row }: Version) => row.body.catchingUp ?? null),
  column('from_position', 'int8', (version: Version) => version.fromPosition),
  column('to_position', 'int8', (version: Version) => version.toPosition),
];
const KEY_COLUMNS = [
  column('node', 'text', ({ row }: Retired) => row.node),
  column('probe', 'text', ({ row }: Retired) => row.body.probe),
  column('position', 'int8', ({ position }: Retired) => position),
];

/** What the probes of each node give, and how fast: by change, and per minute. */
export class ProbesProjection implements Projection {
  readonly name = 'probes';
  readonly version = 1;
  readonly tables = ['probe_minute', 'probe_state'];
  readonly handles: readonly EventType[] = eventsOn('probes');

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    const versions = new RowVersions<StateRow>(({ node, body }) => `${body.probe} ${node}`);
    for (const event of events) {
      if (event.type !== 'ProbeChanged') continue;
      const row = { node: ownerOf(event.stream), at: event.observedAt, body: event.body };
      versions.put(row, event.position);
    }
    await writeStates(versions, query);
    await foldMinutes(events, query);
  }
}

async function writeStates({ retired, inserted }: RowVersions<StateRow>, query: Query): Promise<void> {
  if (inserted.length === 0) return;
  const gone = unnestRows(KEY_COLUMNS, retired, 'gone');
  await query(
    `UPDATE probe_state p SET to_position = gone.position FROM ${gone.sql}
      WHERE p.node = gone.node AND p.probe = gone.probe AND p.to_position IS NULL`,
    gone.parameters,
  );
  const added = unnestRows(COLUMNS, inserted);
  await query(
    `INSERT INTO probe_state (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
    added.parameters,
  );
}
