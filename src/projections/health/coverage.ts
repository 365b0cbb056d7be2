import { toMicros } from '../../domain/bounds.js';
import { ownerOf } from '../../domain/events.js';
import { placeOnAxis } from '../../domain/time-axis.js';
import type { Micros } from '../../domain/time.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { upsertRows } from '../../platform/rows/write-rows.js';
import { CoverageIntervalEntity } from '../../tables/health/coverage-interval.entity.js';
import type { HandledEvent, Projection, Query } from '../projection.js';

/** What ends an interval. */
const HOLES = [
  'SubmissionWindowLost',
  'SubmissionRingReset',
  'SubmissionOverlapAmbiguous',
  'SubmissionHistoryMissing',
] as const;
const HANDLES = [...HOLES, 'SubmissionsObserved', 'SubmissionSourceChanged', 'NodeWatched'] as const;
type Handled = HandledEvent<typeof HANDLES>;

/**
 * Times in which no row of a node's ring can have been missed. A time in which nobody looked is covered, too, if the
 * next list continued the last one: then nothing fell out in between. Only a hole that was found ends it.
 */
export class CoverageProjection implements Projection {
  readonly name = 'coverage';
  readonly version = 2;
  readonly tables = ['coverage_interval'];
  readonly handles = HANDLES;

  async apply(events: readonly Handled[], query: Query): Promise<void> {
    const nodes = [...new Set(events.map(({ stream }) => ownerOf(stream)))];
    const open = new Map((await loadOpen(nodes, query)).map((row) => [row.node, row]));
    const changed = new Set<CoverageIntervalEntity>();
    for (const event of events) {
      const before = open.get(ownerOf(event.stream));
      const placed = placeOnAxis(before?.axis ?? null, event);
      // Its times are moved, and its type is not.
      for (const row of applyEvent(before, placed.event as Handled)) {
        row.axis = placed.axis;
        changed.add(row);
        if (row.toPosition === null) open.set(row.node, row);
      }
    }
    // An interval must end before the next one of its node may be the open one.
    const ordered = [...changed].sort(
      (a, b) => Number(a.toPosition === null) - Number(b.toPosition === null),
    );
    await upsertRows(query, CoverageIntervalEntity, ordered);
  }
}

/** The rows that an event changes or begins. */
function applyEvent(open: CoverageIntervalEntity | undefined, event: Handled): CoverageIntervalEntity[] {
  switch (event.type) {
    case 'SubmissionHistoryMissing':
    case 'SubmissionWindowLost':
    case 'SubmissionRingReset':
    case 'SubmissionOverlapAmbiguous':
      return [...(open ? [endAtHole(open, event)] : []), begin(event)];
    case 'SubmissionsObserved':
      return [open ? extend(open, event.observedAt, true) : begin(event)];
    case 'SubmissionSourceChanged':
      return open ? [applySource(open, event)] : [];
    case 'NodeWatched': {
      const looks = event.body.looks.submissions;
      return open?.available && looks ? [extend(open, toMicros(looks.last), true)] : [];
    }
    default:
      return event satisfies never;
  }
}

function begin({ stream, observedAt, position }: Handled): CoverageIntervalEntity {
  return {
    node: ownerOf(stream),
    fromAt: observedAt,
    toAt: observedAt,
    available: true,
    endedBy: null,
    fromPosition: position,
    toPosition: null,
    axis: null,
  };
}

function extend(open: CoverageIntervalEntity, to: Micros, available: boolean): CoverageIntervalEntity {
  if (to > open.toAt) open.toAt = to;
  open.available = available;
  return open;
}

/** A list that can be read again goes on from where it was, or a hole in it follows at once. */
function applySource(
  open: CoverageIntervalEntity,
  event: HandledEvent<readonly ['SubmissionSourceChanged']>,
): CoverageIntervalEntity {
  if (event.body.state === 'AVAILABLE') return extend(open, event.observedAt, true);
  open.available = false;
  return open;
}

/** What was seen up to the look before the hole stays covered. */
function endAtHole(open: CoverageIntervalEntity, event: HandledEvent<typeof HOLES>): CoverageIntervalEntity {
  const lastLook = event.body.from === null ? open.toAt : toMicros(event.body.from);
  if (lastLook < open.toAt) open.toAt = lastLook > open.fromAt ? lastLook : open.fromAt;
  else if (lastLook > open.toAt && lastLook < event.observedAt) open.toAt = lastLook;
  open.endedBy = event.type;
  open.toPosition = event.position;
  return open;
}

function loadOpen(nodes: readonly string[], query: Query): Promise<CoverageIntervalEntity[]> {
  return query<CoverageIntervalEntity>(
    `SELECT ${selectList(CoverageIntervalEntity, 'c')} FROM coverage_interval c
      WHERE node = ANY ($1) AND to_position IS NULL`,
    [nodes],
  );
}
