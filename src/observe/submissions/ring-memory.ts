import type { Millis, RecordedEvent, SourceState } from '../../domain/events.js';
import {
  initialRing,
  keptRows,
  type KnownRing,
  RECENT_ROWS,
  type RecordedRow,
  restoreRing,
  type RingScalars,
} from '../../domain/submissions/known-ring.js';
import type { EventStore } from '../../event-log/event-store.js';

/** Events read at a time on the way back. */
const PAGE = 100;

/** A quiet list may lie far back; beyond this many events it is taken as forgotten. */
const MOST_EVENTS = 5_000;

/**
 * Reads back from the log what `reconcile` must know: the last recorded rows, and of each kept list enough to find an
 * overlap. The rows are not stored a second time as state.
 *
 * @param scalars as kept with the stream's last append; null before the first contact
 */
export async function loadRing(
  store: EventStore,
  stream: string,
  scalars: RingScalars | null,
): Promise<KnownRing> {
  if (scalars === null) return initialRing();
  const newestFirst: RecordedRow[] = [];
  const missing = new Map(scalars.windows.map((window) => [window.source, keptRows(scalars.ringSize)]));
  const alterations = new Alterations();
  let before: bigint | undefined;
  for (let read = 0; read < MOST_EVENTS;) {
    const events = await store.readStreamBack(stream, ['SubmissionsObserved'], PAGE, before);
    read += events.length;
    for (const event of events) {
      for (const row of rowsNewestFirst(event)) {
        newestFirst.push(alterations.apply(row));
        missing.set(row.source, (missing.get(row.source) ?? 0) - 1);
      }
      alterations.note(event);
    }
    before = events.at(-1)?.version;
    const hasEnough = newestFirst.length >= RECENT_ROWS && [...missing.values()].every((rows) => rows <= 0);
    if (events.length === 0 || hasEnough) break;
  }
  return restoreRing({ recentRows: newestFirst.reverse(), scalars });
}

/**
 * The last look that saw the list, as far as the log knows: the one of the stream's last append, or a later one in
 * which nothing happened. Looks that were refused are not meant: they change the source, which is an append; nor those
 * that gave an old answer: they are not counted.
 */
export async function loadLastLook(
  store: EventStore,
  nodeId: string,
  state: { readonly source: SourceState | null; readonly lastLook: Millis | null } | undefined,
): Promise<Millis | null> {
  const lastLook = state?.lastLook ?? null;
  if (lastLook === null || state?.source !== 'AVAILABLE') return lastLook;
  const [watched] = await store.readStreamBack(`${nodeId}/node`, ['NodeWatched'], 1);
  const later = watched?.type === 'NodeWatched' ? watched.body.looks.submissions?.last : undefined;
  return Math.max(lastLook, later ?? 0);
}

/** Rows that the node showed otherwise later on, met on the way back: they are compared as they were shown last. */
class Alterations {
  private readonly shownLast = new Map<string, string>();

  note(event: RecordedEvent): void {
    if (event.type !== 'SubmissionsObserved') return;
    const { altered = [], source } = event.body;
    for (const { before, after } of altered) {
      this.shownLast.set(`${source} ${before}`, this.shownLast.get(`${source} ${after}`) ?? after);
    }
  }

  apply({ text, source }: RecordedRow): RecordedRow {
    return { text: this.shownLast.get(`${source} ${text}`) ?? text, source };
  }
}

function rowsNewestFirst(event: RecordedEvent): RecordedRow[] {
  if (event.type !== 'SubmissionsObserved') return [];
  const { rows, source } = event.body;
  return rows.map((text) => ({ text, source })).reverse();
}
