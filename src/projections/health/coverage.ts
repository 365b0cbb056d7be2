import { toMicros } from '../../domain/bounds.js';
import { ownerOf, type EventType, type RecordedEvent } from '../../domain/events.js';
import { placeOnAxis, type TimeAxis } from '../../domain/time-axis.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Projection, Query } from '../projection.js';

/** A stretch of time in which nothing was missed. Times are Unix microseconds. */
interface CoverageRow {
  readonly node: string;
  readonly from: bigint;
  to: bigint;
  available: boolean;
  endedBy: string | null;
  readonly fromPosition: bigint;
  toPosition: bigint | null;
  /** On which its times lie. */
  axis: TimeAxis | null;
}

const COLUMNS = [
  column('node', 'text', (row: CoverageRow) => row.node),
  column('from_at', 'timestamptz', (row: CoverageRow) => row.from),
  column('to_at', 'timestamptz', (row: CoverageRow) => row.to),
  column('available', 'bool', (row: CoverageRow) => row.available),
  column('ended_by', 'text', (row: CoverageRow) => row.endedBy),
  column('from_position', 'int8', (row: CoverageRow) => row.fromPosition),
  column('to_position', 'int8', (row: CoverageRow) => row.toPosition),
  column('axis', 'json', (row: CoverageRow) => JSON.stringify(row.axis)),
];

/**
 * Times in which no row of a node's ring can have been missed. A time in which nobody looked is covered, too, if the
 * next list continued the last one: then nothing fell out in between. Only a hole that was found ends it.
 */
export class CoverageProjection implements Projection {
  readonly name = 'coverage';
  readonly version = 2;
  readonly tables = ['coverage_interval'];
  readonly handles: readonly EventType[] = [
    'SubmissionsObserved',
    'SubmissionWindowLost',
    'SubmissionRingReset',
    'SubmissionOverlapAmbiguous',
    'SubmissionHistoryMissing',
    'SubmissionSourceChanged',
    'NodeWatched',
  ];

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    const nodes = [...new Set(events.map(({ stream }) => ownerOf(stream)))];
    const open = new Map((await loadOpen(nodes, query)).map((row) => [row.node, row]));
    const changed = new Set<CoverageRow>();
    for (const event of events) {
      const before = open.get(ownerOf(event.stream));
      const placed = placeOnAxis(before?.axis ?? null, event);
      for (const row of applyEvent(before, placed.event)) {
        row.axis = placed.axis;
        changed.add(row);
        if (row.toPosition === null) open.set(row.node, row);
      }
    }
    await write([...changed], query);
  }
}

/** The rows that an event changes or begins. */
function applyEvent(open: CoverageRow | undefined, event: RecordedEvent): CoverageRow[] {
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
      return [];
  }
}

function begin(event: RecordedEvent): CoverageRow {
  const { observedAt, position } = event;
  const times = { from: observedAt, to: observedAt };
  return {
    node: ownerOf(event.stream),
    ...times,
    available: true,
    endedBy: null,
    fromPosition: position,
    toPosition: null,
    axis: null,
  };
}

function extend(open: CoverageRow, to: bigint, available: boolean): CoverageRow {
  if (to > open.to) open.to = to;
  open.available = available;
  return open;
}

/** A list that can be read again goes on from where it was, or a hole in it follows at once. */
function applySource(
  open: CoverageRow,
  event: RecordedEvent & { type: 'SubmissionSourceChanged' },
): CoverageRow {
  if (event.body.state === 'AVAILABLE') return extend(open, event.observedAt, true);
  open.available = false;
  return open;
}

/** What was seen up to the look before the hole stays covered. */
function endAtHole(
  open: CoverageRow,
  event: RecordedEvent & {
    type:
      | 'SubmissionHistoryMissing'
      | 'SubmissionWindowLost'
      | 'SubmissionRingReset'
      | 'SubmissionOverlapAmbiguous';
  },
): CoverageRow {
  const lastLook = event.body.from === null ? open.to : toMicros(event.body.from);
  if (lastLook < open.to) open.to = lastLook > open.from ? lastLook : open.from;
  else if (lastLook > open.to && lastLook < event.observedAt) open.to = lastLook;
  open.endedBy = event.type;
  open.toPosition = event.position;
  return open;
}

async function loadOpen(nodes: readonly string[], query: Query): Promise<CoverageRow[]> {
  const rows = await query<Record<string, string> & { available: boolean; axis: TimeAxis | null }>(
    `SELECT node, (extract(epoch FROM from_at) * 1000000)::bigint AS from_us, available, from_position, axis,
            (extract(epoch FROM to_at) * 1000000)::bigint AS to_us
       FROM coverage_interval WHERE node = ANY ($1) AND to_position IS NULL`,
    [nodes],
  );
  return rows.map((row) => ({
    node: row['node'] ?? '',
    from: BigInt(row['from_us'] ?? 0),
    to: BigInt(row['to_us'] ?? 0),
    available: row.available,
    endedBy: null,
    fromPosition: BigInt(row['from_position'] ?? 0),
    toPosition: null,
    axis: row.axis,
  }));
}

async function write(rows: readonly CoverageRow[], query: Query): Promise<void> {
  if (rows.length === 0) return;
  // An interval must end before the next one of its node may be the open one.
  const ordered = rows.toSorted((a, b) => Number(a.toPosition === null) - Number(b.toPosition === null));
  const { sql, names, parameters } = unnestRows(COLUMNS, ordered);
  await query(
    `INSERT INTO coverage_interval (${names}) SELECT ${names} FROM ${sql}
     ON CONFLICT (node, from_position) DO UPDATE SET to_at = excluded.to_at, available = excluded.available,
            ended_by = excluded.ended_by, to_position = excluded.to_position, axis = excluded.axis`,
    parameters,
  );
}
