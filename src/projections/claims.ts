import { eventsOn } from '../domain/event-shape.js';
import { ownerOf, type EventType, type RecordedEvent } from '../domain/events.js';
import { column, unnestRows } from '../platform/unnest-rows.js';
import type { Projection, Query } from './projection.js';
import { RowVersions, type RowVersion } from './row-versions.js';

interface ClaimRow {
  readonly node: string;
  readonly kind: 'health' | 'stats';
  /** Unix microseconds. */
  readonly at: bigint;
  readonly status: string | null;
  readonly body: unknown;
}
type Version = RowVersion<ClaimRow>;
type Retired = RowVersions<ClaimRow>['retired'][number];

const COLUMNS = [
  column('node', 'text', ({ row }: Version) => row.node),
  column('kind', 'text', ({ row }: Version) => row.kind),
  column('observed_at', 'timestamptz', ({ row }: Version) => row.at),
  column('status', 'text', ({ row }: Version) => row.status),
  column('body', 'text', ({ row }: Version) => JSON.stringify(row.body ?? null)),
  column('from_position', 'int8', (version: Version) => version.fromPosition),
  column('to_position', 'int8', (version: Version) => version.toPosition),
];
const KEY_COLUMNS = [
  column('node', 'text', ({ row }: Retired) => row.node),
  column('kind', 'text', ({ row }: Retired) => row.kind),
  column('position', 'int8', ({ position }: Retired) => position),
];

/** What each node said of its DA layer. */
export class ClaimsProjection implements Projection {
  readonly name = 'claims';
  readonly version = 1;
  readonly tables = ['claim'];
  readonly handles: readonly EventType[] = eventsOn('claims');

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    const versions = new RowVersions<ClaimRow>(({ node, kind }) => `${kind} ${node}`);
    for (const event of events) {
      const row = toRow(event);
      if (row) versions.put(row, event.position);
    }
    await write(versions, query);
  }
}

function toRow(event: RecordedEvent): ClaimRow | undefined {
  const head = { node: ownerOf(event.stream), at: event.observedAt };
  switch (event.type) {
    case 'DaHealthClaimed':
      return { ...head, kind: 'health', status: event.body.status, body: event.body.body };
    case 'DaStatsClaimed':
      return { ...head, kind: 'stats', status: null, body: event.body.body };
    default:
      return undefined;
  }
}

async function write({ retired, inserted }: RowVersions<ClaimRow>, query: Query): Promise<void> {
  if (inserted.length === 0) return;
  const gone = unnestRows(KEY_COLUMNS, retired, 'gone');
  await query(
    `UPDATE claim c SET to_position = gone.position FROM ${gone.sql}
      WHERE c.node = gone.node AND c.kind = gone.kind AND c.to_position IS NULL`,
    gone.parameters,
  );
  const added = unnestRows(COLUMNS, inserted);
  const values = COLUMNS.map(({ name }) => (name === 'body' ? 'body::json' : name)).join(', ');
  await query(`INSERT INTO claim (${added.names}) SELECT ${values} FROM ${added.sql}`, added.parameters);
}
