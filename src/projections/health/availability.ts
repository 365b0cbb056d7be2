import { ownerOf } from '../../domain/events.js';
import { placeOnAxis } from '../../domain/time-axis.js';
import { readRows } from '../../platform/rows/read-rows.js';
import { RowVersions, type Content } from '../../platform/rows/row-versions.js';
import { AvailabilityIntervalEntity } from '../../tables/health.entities.js';
import type { HandledEvent, Projection, Query } from '../projection.js';

const HANDLES = ['SubmissionSourceChanged'] as const;

/** The state of each node's list of submissions over time. */
export class AvailabilityProjection implements Projection {
  readonly name = 'availability';
  readonly version = 2;
  readonly tables = ['availability_interval'];
  readonly handles = HANDLES;

  async apply(events: readonly HandledEvent<typeof HANDLES>[], query: Query): Promise<void> {
    const open = await loadOpen([...new Set(events.map(({ stream }) => ownerOf(stream)))], query);
    const versions = new RowVersions(AvailabilityIntervalEntity, ['node', 'fromAt']);
    for (const event of events) {
      const { state, detail } = event.body;
      const node = ownerOf(event.stream);
      const before = open.get(node);
      if (before?.state === state && before.detail === detail) continue;
      const { axis, event: placed } = placeOnAxis(before?.axis ?? null, event);
      // Polls of two processes may be slightly out of order; an interval never begins before the previous one.
      const fromAt = before && before.fromAt > placed.observedAt ? before.fromAt : placed.observedAt;
      if (before && before.fromAt < fromAt) versions.put({ ...before, toAt: fromAt }, event.position);
      const row = { node, fromAt, toAt: null, state, detail, axis };
      versions.put(row, event.position);
      open.set(node, row);
    }
    await versions.write(query);
  }
}

async function loadOpen(
  nodes: readonly string[],
  query: Query,
): Promise<Map<string, Content<AvailabilityIntervalEntity>>> {
  const which = 'WHERE node = ANY ($1) AND to_at IS NULL AND to_position IS NULL';
  const rows = await readRows(query, AvailabilityIntervalEntity, which, [nodes]);
  return new Map(rows.map((row) => [row.node, row]));
}
