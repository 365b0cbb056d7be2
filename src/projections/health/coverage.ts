import { toMicros } from '../../domain/bounds.js';
import { type Looks, ownerOf } from '../../domain/events.js';
import { quietTo } from '../../domain/health/health-looks.js';
import { EMPTY_PROVES_MS } from '../../domain/submissions/empty-list.js';
import { placeOnAxis } from '../../domain/time-axis.js';
import { type Micros, microsToMillis } from '../../domain/time.js';
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
const HANDLES = [
  ...HOLES,
  'SubmissionsObserved',
  'SubmissionRingSwitched',
  'SubmissionSourceChanged',
  'NodeWatched',
] as const;
type Handled = HandledEvent<typeof HANDLES>;

/**
 * Times in which no row of a node's ring can have been missed. A time in which nobody looked is covered, too, if the
 * next list continued the last one: then nothing fell out in between. Only a hole that was found ends it, or a time in which
 * an empty list was out of sight: that continues nothing, and older observers stated no hole there.
 */
export class CoverageProjection implements Projection {
  readonly name = 'coverage';
  readonly version = 3;
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
    case 'SubmissionRingReset':
      // Rows that it showed follow at the same look.
      return [...(open ? [endAtHole(open, event)] : []), begin(event, 'SEEN')];
    case 'SubmissionWindowLost':
    case 'SubmissionOverlapAmbiguous':
      return [...(open ? [endAtHole(open, event)] : []), begin(event, null)];
    case 'SubmissionsObserved':
      return open ? goOn(open, event, event.body.looks, null) : [begin(event, null)];
    case 'SubmissionRingSwitched':
      return open?.emptyList ? goOn(open, event, event.body.looks, null) : [];
    case 'SubmissionSourceChanged':
      return open ? [applySource(open, event)] : [];
    case 'NodeWatched': {
      const looks = event.body.looks.submissions;
      return open?.available && looks ? goOn(open, event, looks, open.emptyList && 'SEEN') : [];
    }
    default:
      return event satisfies never;
  }
}

function begin(
  { stream, observedAt, position }: Handled,
  emptyList: CoverageIntervalEntity['emptyList'],
): CoverageIntervalEntity {
  return {
    node: ownerOf(stream),
    fromAt: observedAt,
    toAt: observedAt,
    available: true,
    emptyList,
    endedBy: null,
    fromPosition: position,
    toPosition: null,
    axis: null,
  };
}

/** Looks that found no hole, up to that of the event or, where it only tells of them, the last of them. */
function goOn(
  open: CoverageIntervalEntity,
  event: Handled,
  looks: Looks,
  emptyList: CoverageIntervalEntity['emptyList'],
): CoverageIntervalEntity[] {
  const to = event.type === 'NodeWatched' ? toMicros(looks.last) : event.observedAt;
  if (to <= open.toAt || !hasLostSight(open, looks)) {
    open.available = true;
    open.emptyList = emptyList;
    return [extend(open, to)];
  }
  // Where among the looks a gap was, or a failed one, is not known.
  const isAmong = open.emptyList === 'INTERRUPTED' || looks.longestGapMs > EMPTY_PROVES_MS;
  const first = toMicros(looks.first);
  open.endedBy = event.type;
  open.toPosition = event.position;
  const next = begin(event, emptyList);
  next.fromAt = isAmong || first > to ? to : first;
  next.toAt = to;
  return [open, next];
}

function extend(open: CoverageIntervalEntity, to: Micros): CoverageIntervalEntity {
  if (to > open.toAt) open.toAt = to;
  return open;
}

/**
 * Whether the list was empty and then out of sight, so that rows may have come and gone before these looks or among them.
 *
 * @param knownGapMs a gap among them that is accounted for
 */
function hasLostSight(open: CoverageIntervalEntity, looks: Looks, knownGapMs = 0): boolean {
  if (open.emptyList !== 'SEEN') return open.emptyList === 'INTERRUPTED';
  const before = looks.first - microsToMillis(open.toAt);
  return before > EMPTY_PROVES_MS || looks.longestGapMs > Math.max(EMPTY_PROVES_MS, knownGapMs);
}

/** A list that can be read again goes on from where it was, or a hole in it follows at once; an empty one proves neither. */
function applySource(
  open: CoverageIntervalEntity,
  event: HandledEvent<readonly ['SubmissionSourceChanged']>,
): CoverageIntervalEntity {
  const { state, looks } = event.body;
  open.available = state === 'AVAILABLE';
  if (open.available) return open.emptyList ? open : extend(open, event.observedAt);
  if (open.emptyList !== 'SEEN') return open;
  // All looks but the last, which failed, saw it.
  const seenTo = looks ? quietTo(looks, microsToMillis(open.toAt)) : null;
  if (looks && seenTo !== null && !hasLostSight(open, looks)) extend(open, toMicros(seenTo));
  open.emptyList = 'INTERRUPTED';
  return open;
}

/** What was seen up to the look before the hole stays covered. */
function endAtHole(open: CoverageIntervalEntity, event: HandledEvent<typeof HOLES>): CoverageIntervalEntity {
  const { from, to, looks } = event.body;
  const lastLook = from === null ? open.toAt : toMicros(from);
  const isSeen = lastLook < event.observedAt && !hasLostSight(open, looks, to - (from ?? to));
  if (lastLook < open.toAt) open.toAt = lastLook > open.fromAt ? lastLook : open.fromAt;
  else if (isSeen) open.toAt = lastLook;
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
