import { toMicros } from '../bounds.js';
import type { EventBodies, Polls, RecordedEvent, ProvenTime } from '../events.js';
import { type Micros, type Millis } from '../time.js';

/** A row as a node showed it, and its sequence in the record. */
interface ShownRow {
  readonly sequence: number;
  /** Its JSON text as sent, or the part that the log keeps. */
  readonly text: string;
}

/**
 * Why the content of a list is not proven:
 * - `NOT_SEEN`: the list had not been seen yet.
 * - `AWAY`: the list could not be read at that moment; the rows are those of the last poll that saw it.
 * - `INCOMPLETE`: the list had more rows than are recorded of it.
 * - `HOLE`: rows may be missing among the recorded ones.
 * - `BETWEEN_LOOKS`: the list had changed by the next poll, or there was no later poll; the rows are those of the last
 *   poll.
 */
export type WindowDoubt = 'NOT_SEEN' | 'AWAY' | 'INCOMPLETE' | 'HOLE' | 'BETWEEN_LOOKS';

/** A list as its node showed it at a moment. */
export interface WindowAt {
  /** In the order in which the node sends them. */
  readonly rows: readonly ShownRow[];
  readonly newestFirst: boolean;
  /** The last poll up to that moment whose event is recorded; null before the first. */
  readonly lookedAt: Micros | null;
  /** Null: the list is proven, row for row. */
  readonly doubt: WindowDoubt | null;
}

/** Recorded events of a list around a moment. */
export interface ListHistory {
  /**
   * Events of the list's stream whose poll was at or before that moment, oldest first: the last ones, as far back as
   * {@link reachesBack} requires.
   */
  readonly events: readonly RecordedEvent[];
  /** The next event; undefined if there is none. */
  readonly next: RecordedEvent | undefined;
  /** Polls that found nothing new, from events of the node; a few of those after that moment are enough. */
  readonly quiet: readonly Polls[];
}

type Observed = EventBodies['SubmissionsObserved'];

/** One of the lists behind an address. */
interface Line {
  /** Oldest first; not much more than the node shows. */
  rows: ShownRow[];
  /** How many of the rows the node showed last. */
  length: number;
  /** Whether it had rows that were not recorded. */
  isShort: boolean;
}

const NOTHING: WindowAt = { rows: [], newestFirst: true, lookedAt: null, doubt: 'NOT_SEEN' };

/**
 * The list as the node showed it at a moment, as far as it is proven, and whether it is. Its content between two polls is
 * proven only if the second one found the list unchanged.
 *
 * A truncated answer leaves no trace in the log except its rows. That is enough for a list that sends its newest row first,
 * as nodes do.
 *
 * Pure. The rows of an unproven list are those of the last poll that saw it, at most as many as it had.
 *
 * @param at on the observer's clock
 */
export function findWindowAt(at: Micros, history: ListHistory): WindowAt {
  const shown = new ShownLists();
  for (const event of history.events) shown.apply(event);
  const { line, newestFirst, lookedAt } = shown;
  if (line === undefined) return { ...NOTHING, lookedAt };
  const rows = line.rows.slice(Math.max(0, line.rows.length - line.length));
  return {
    rows: newestFirst ? rows.toReversed() : rows,
    newestFirst,
    lookedAt,
    doubt: findDoubt(at, history, shown, line, rows),
  };
}

function findDoubt(
  at: Micros,
  { next, quiet }: ListHistory,
  shown: ShownLists,
  line: Line,
  rows: readonly ShownRow[],
): WindowDoubt | null {
  if (shown.isAway) return 'AWAY';
  if (line.isShort || rows.length < line.length || showsOlder(next, shown.source, rows.length))
    return 'INCOMPLETE';
  const [first, last] = [rows[0]?.sequence ?? Infinity, rows.at(-1)?.sequence ?? -Infinity];
  if (shown.gaps.some((after) => after >= first && after <= last)) return 'HOLE';
  const isKnown = shown.lookedAt !== null && at <= knownUntil(shown.lookedAt, shown.source, next, quiet);
  return isKnown ? null : 'BETWEEN_LOOKS';
}

/** Whether a later answer shows rows before the recorded ones: the first answers were truncated. */
function showsOlder(next: RecordedEvent | undefined, source: number | null, known: number): boolean {
  return next?.type === 'SubmissionsObserved' && next.body.source === source && next.body.overlap > known;
}

/** Up to when the list is known to have stayed as the last event left it. */
function knownUntil(
  lookedAt: Micros,
  source: number | null,
  next: RecordedEvent | undefined,
  quiet: readonly Polls[],
): Micros {
  const nextPoll = next?.observedAt;
  const before = next && pollBefore(next);
  const polls = [...quiet.map(({ last }) => last), ...(before === undefined ? [] : [before])].map(toMicros);
  const all = next && 'looks' in next.body ? [...quiet, next.body.looks as Polls] : quiet;
  // Another list that the address showed meanwhile: from then on it is unknown which one it was showing.
  const others = all.flatMap(({ lists = [] }) => lists.filter(({ list }) => list !== source));
  const otherSince = others
    .filter(({ last }) => toMicros(last) > lookedAt)
    .map(({ since }) => toMicros(since));
  const isBefore = (at: Micros) =>
    (nextPoll === undefined || at < nextPoll) && otherSince.every((since) => at < since);
  return polls.filter(isBefore).reduce((latest, poll) => (poll > latest ? poll : latest), lookedAt);
}

/**
 * The earliest possible time of the poll before an event's own; undefined if the event reports none. All polls except the
 * event's own found the list unchanged.
 */
function pollBefore({ body }: RecordedEvent): Millis | undefined {
  const looks = 'looks' in body ? (body.looks as Polls | undefined) : undefined;
  if (looks === undefined || looks.count < 2 || looks.first >= looks.last) return undefined;
  return Math.max(looks.first, looks.last - looks.longestGapMs);
}

/** Whether the events, newest first, contain all that {@link findWindowAt} needs of the list of the newest event. */
export function reachesBack(newestFirst: readonly RecordedEvent[]): boolean {
  let source: number | undefined;
  let missing = Infinity;
  for (const { type, body } of newestFirst) {
    source ??= type === 'SubmissionRingSwitched' ? body.to : listSeenLast(body);
    if (!('source' in body) || typeof body.source !== 'number') continue;
    source ??= body.source;
    if (body.source !== source) continue;
    if (type !== 'SubmissionsObserved') {
      if (type !== 'SubmissionOverlapAmbiguous') return true;
      continue;
    }
    // For a list that shrinks, the last answer shows how many rows it has.
    missing = Math.min(missing, Math.max(body.ringSize, 1)) - body.rows.length;
    if (body.overlap === 0 || missing <= 0) return true;
  }
  return false;
}

/** The list that the polls of an event saw last; undefined if they saw none, and in events of older versions. */
function listSeenLast(body: RecordedEvent['body']): number | undefined {
  const { lists = [] } = ('looks' in body ? (body.looks as Polls | undefined) : undefined) ?? {};
  const newest = lists.reduce<ProvenTime | undefined>(
    (latest, seen) => (latest && latest.last > seen.last ? latest : seen),
    undefined,
  );
  return newest && newest.list >= 0 ? newest.list : undefined;
}

/** Folds the events of a stream into the lists that the address shows. */
class ShownLists {
  source: number | null = null;
  isAway = false;
  newestFirst = true;
  lookedAt: Micros | null = null;
  /** Sequences after which rows may be missing although the list continues. */
  readonly gaps: number[] = [];
  private readonly lines = new Map<number, Line>();

  get line(): Line | undefined {
    return this.source === null ? undefined : this.lines.get(this.source);
  }

  apply(event: RecordedEvent): void {
    switch (event.type) {
      case 'SubmissionsObserved':
        this.show(event.body);
        break;
      case 'SubmissionRingSwitched':
        this.source = event.body.to;
        break;
      case 'SubmissionOverlapAmbiguous':
        this.gaps.push(event.body.after);
        this.source = event.body.source;
        break;
      case 'SubmissionHistoryMissing':
      case 'SubmissionWindowLost':
      case 'SubmissionRingReset':
        this.begin(event.body.source, event.body.minLost > 0);
        break;
      case 'SubmissionSourceChanged':
        break;
      default:
        return;
    }
    this.source = listSeenLast(event.body) ?? this.source;
    this.isAway = event.type === 'SubmissionSourceChanged' && event.body.state !== 'AVAILABLE';
    this.lookedAt = event.observedAt;
  }

  private begin(source: number, isShort: boolean): Line {
    const line = { rows: [], length: 0, isShort };
    this.lines.set(source, line);
    this.source = source;
    return line;
  }

  private show({
    source,
    overlap,
    rows,
    altered = [],
    firstSequence,
    ringSize,
    newestFirst,
  }: Observed): void {
    const known = this.lines.get(source);
    // If the events begin in the middle of a list, its first answer shows how long it is.
    const before = known?.length ?? overlap;
    const previous = this.line;
    const line = known && (overlap > 0 || known.rows.length === 0) ? known : this.begin(source, false);
    // Its first rows were recorded in the wrong order, as another list, because nothing had shown the direction yet.
    if (!known && overlap > 0 && newestFirst !== this.newestFirst)
      line.rows.push(...(previous?.rows.toReversed().slice(-overlap) ?? []));
    for (const { before: from, after } of altered) {
      const at = line.rows.findLastIndex(({ text }) => text === from);
      const row = line.rows[at];
      if (row) line.rows[at] = { ...row, text: after };
    }
    rows.forEach((text, index) => line.rows.push({ sequence: firstSequence + index, text }));
    const seen = overlap + rows.length;
    const expected = Math.min((overlap > 0 ? before : 0) + rows.length, ringSize);
    // A truncated answer shows fewer rows than there are; a list that drops its oldest rows is as long as its ring.
    line.length = seen === ringSize ? seen : Math.max(seen, expected);
    line.rows = line.rows.slice(-Math.max(line.length, 1));
    this.source = source;
    this.newestFirst = newestFirst;
  }
}
