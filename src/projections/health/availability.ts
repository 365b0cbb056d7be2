import { ownerOf, type EventType, type RecordedEvent, type SourceState } from '../../domain/events.js';
import { placeOnAxis, type TimeAxis } from '../../domain/time-axis.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Projection, Query } from '../projection.js';
import { RowVersions, type RowVersion } from '../row-versions.js';

/** Times are Unix microseconds. */
interface AvailabilityRow {
  readonly node: string;
  readonly from: bigint;
  readonly to: bigint | null;
  readonly state: SourceState;
  readonly detail: string;
  /** On which its times lie, at the event that made it known. */
  readonly axis: TimeAxis | null;
}
type Version = RowVersion<AvailabilityRow>;
type Retired = RowVersions<AvailabilityRow>['retired'][number];

const COLUMNS = [
  column('node', 'text', ({ row }: Version) => row.node),
  column('from_at', 'timestamptz', ({ row }: Version) => row.from),
  column('to_at', 'timestamptz', ({ row }: Version) => row.to),
  column('state', 'text', ({ row }: Version) => row.state),
  column('detail', 'text', ({ row }: Version) => row.detail),
  column('from_position', 'int8', (version: Version) => version.fromPosition),
  column('to_position', 'int8', (version: Version) => version.toPosition),
  column('axis', 'json', ({ row }: Version) => JSON.stringify(row.axis)),
];
const KEY_COLUMNS = [
  column('node', 'text', ({ row }: Retired) => row.node),
  column('from_at', 'timestamptz', ({ row }: Retired) => row.from),
  column('position', 'int8', ({ position }: Retired) => position),
];

/** What the list of submissions of each node was, over time. */
export class AvailabilityProjection implements Projection {
  readonly name = 'availability';
  readonly version = 2;
  readonly tables = ['availability_interval'];
  readonly handles: readonly EventType[] = ['SubmissionSourceChanged'];

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    const open = await loadOpen([...new Set(events.map(({ stream }) => ownerOf(stream)))], query);
    const versions = new RowVersions<AvailabilityRow>(({ node, from }) => `${from} ${node}`);
    for (const event of events) {
      if (event.type !== 'SubmissionSourceChanged') continue;
      const { state, detail } = event.body;
      const node = ownerOf(event.stream);
      const before = open.get(node);
      if (before?.state === state && before.detail === detail) continue;
      const placed = placeOnAxis(before?.axis ?? null, event);
      const { observedAt } = placed.event;
      // Looks of two processes may be a little out of order; intervals go on from where they are.
      const from = before && before.from > observedAt ? before.from : observedAt;
      if (before && before.from < from) versions.put({ ...before, to: from }, event.position);
      const row = { node, from, to: null, state, detail, axis: placed.axis };
      versions.put(row, event.position);
      open.set(node, row);
    }
    await write(versions, query);
  }
}

async function loadOpen(nodes: readonly string[], query: Query): Promise<Map<string, AvailabilityRow>> {
  const rows = await query<{
    node: string;
    from_us: string;
    state: SourceState;
    detail: string;
    axis: TimeAxis | null;
  }>(
    `SELECT node, (extract(epoch FROM from_at) * 1000000)::bigint AS from_us, state, detail, axis
       FROM availability_interval WHERE node = ANY ($1) AND to_at IS NULL AND to_position IS NULL`,
    [nodes],
  );
  return new Map(
    rows.map(({ node, from_us, state, detail, axis }) => [
      node,
      { node, from: BigInt(from_us), to: null, state, detail, axis },
    ]),
  );
}

async function write({ retired, inserted }: RowVersions<AvailabilityRow>, query: Query): Promise<void> {
  if (inserted.length === 0) return;
  const gone = unnestRows(KEY_COLUMNS, retired, 'gone');
  await query(
    `UPDATE availability_interval a SET to_position = gone.position FROM ${gone.sql}
      WHERE a.node = gone.node AND a.from_at = gone.from_at AND a.to_position IS NULL`,
    gone.parameters,
  );
  const added = unnestRows(COLUMNS, inserted);
  await query(
    `INSERT INTO availability_interval (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
    added.parameters,
  );
}
