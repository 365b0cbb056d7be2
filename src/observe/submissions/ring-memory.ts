import type { RecordedEvent } from '../../domain/events.js';
import { recordedForm } from '../../domain/submissions/cut-row.js';
import {
  initialRing,
  type KnownRing,
  RECENT_ROWS,
  type ComparedRow,
  restoreRing,
  type RingScalars,
  rowsToRead,
} from '../../domain/submissions/known-ring.js';
import type { EventStore } from '../../event-log/event-store.js';

/** The largest number of events read at a time, and the first: one event can contain a list of 32 MB. */
const LARGEST_PAGE = 100;
const FIRST_PAGE = 10;
/** After a page with more characters of rows than this, the next page is smaller. */
const HEAVY_PAGE = 2_000_000;

/** A list whose end is not known may lie far back; beyond this many events it counts as forgotten. */
const MOST_EVENTS = 5_000;

/** For each kept list, the stream's version when rows were last added to it, as text. */
export type ListEnds = Readonly<Record<string, string>>;

type Store = Pick<EventStore, 'readStreamBack'>;

/**
 * Reads from the log what `reconcile` needs: the last recorded rows, and enough of each kept list to find an overlap. The
 * rows are not stored a second time as state.
 *
 * @param scalars as stored with the stream's last append; null before the first contact
 * @param ends where to start reading a list that has been quiet for long, skipping what was recorded since
 */
export async function loadRing(
  store: Store,
  stream: string,
  scalars: RingScalars | null,
  ends: ListEnds = {},
): Promise<KnownRing> {
  if (scalars === null) return initialRing();
  const reader = new WayBack(store, stream, scalars);
  const known = scalars.windows.flatMap(({ source }) => (ends[source] === undefined ? [source] : []));
  await reader.read((read) => read.hasRecent && read.hasAll(known));
  const quiet = scalars.windows
    .map(({ source }) => ({ source, end: BigInt(ends[source] ?? 0) }))
    .filter(({ source }) => !reader.hasAll([source]))
    .sort((a, b) => (a.end < b.end ? 1 : -1));
  for (const { source, end } of quiet) {
    reader.jumpTo(end);
    await reader.read((read) => read.hasAll([source]));
  }
  return restoreRing({ recentRows: reader.rows(), scalars });
}

/** Walks back through the events with rows of a stream, and keeps only the compared form of each row. */
class WayBack {
  private readonly newestFirst: ComparedRow[] = [];
  private readonly missing: Map<number, number>;
  private readonly alterations = new Alterations();
  private before: bigint | undefined;
  private isAtStart = false;
  private page = FIRST_PAGE;

  constructor(
    private readonly store: Store,
    private readonly stream: string,
    scalars: RingScalars,
  ) {
    const { windows, ringSize } = scalars;
    this.missing = new Map(windows.map((window) => [window.source, rowsToRead(window, ringSize)]));
  }

  get hasRecent(): boolean {
    return this.newestFirst.length >= RECENT_ROWS;
  }

  hasAll(sources: readonly number[]): boolean {
    return sources.every((source) => (this.missing.get(source) ?? 0) <= 0);
  }

  /** Continues with the events up to a version, unless they are already read. */
  jumpTo(version: bigint): void {
    if (this.before !== undefined && version > 0n && version < this.before) this.before = version + 1n;
  }

  async read(isEnough: (read: WayBack) => boolean): Promise<void> {
    for (let read = 0; read < MOST_EVENTS && !this.isAtStart && !isEnough(this);) {
      const limit = this.page;
      const events = await this.store.readStreamBack(
        this.stream,
        ['SubmissionsObserved'],
        limit,
        this.before,
      );
      let characters = 0;
      for (const event of events) characters += this.take(event);
      read += events.length;
      this.before = events.at(-1)?.version ?? this.before;
      this.isAtStart = events.length === 0;
      this.page =
        characters > HEAVY_PAGE ? Math.max(1, Math.floor(limit / 4)) : Math.min(2 * limit, LARGEST_PAGE);
    }
  }

  rows(): ComparedRow[] {
    return this.newestFirst.toReversed();
  }

  /** @returns the number of characters in the event's rows */
  private take(event: RecordedEvent): number {
    if (event.type !== 'SubmissionsObserved') return 0;
    const { rows, source, overlap } = event.body;
    let characters = 0;
    for (const sent of rows.toReversed()) {
      characters += sent.length;
      const left = this.missing.get(source) ?? 0;
      // One event may contain a flood of rows: neither its list nor the recent rows need them all.
      if (left <= 0 && this.hasRecent) continue;
      this.newestFirst.push(this.alterations.apply({ text: recordedForm(sent), source }));
      this.missing.set(source, left - 1);
    }
    // Rows without an overlap are the beginning of their list.
    if (overlap === 0) this.missing.set(source, 0);
    this.alterations.note(event);
    return characters;
  }
}

/** Rows that the node later showed differently, found on the way back. They are compared in the form last shown. */
class Alterations {
  private readonly shownLast = new Map<string, string>();

  note(event: RecordedEvent): void {
    if (event.type !== 'SubmissionsObserved') return;
    const { altered = [], source } = event.body;
    for (const { before, after } of altered) {
      const [from, to] = [recordedForm(before), recordedForm(after)];
      this.shownLast.set(`${source} ${from}`, this.shownLast.get(`${source} ${to}`) ?? to);
    }
  }

  apply({ text, source }: ComparedRow): ComparedRow {
    return { text: this.shownLast.get(`${source} ${text}`) ?? text, source };
  }
}
