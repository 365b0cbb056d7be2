import type { Polls, RecordedEvent, ProvenTime, SourceState } from '../events.js';
import { quietTo } from '../health/health-polls.js';
import { placeOnAxis, type TimeAxis } from '../time-axis.js';
import { microsToMillis, type Millis } from '../time.js';
import { NO_LIST, noteObserved, type KnownList } from './observations.js';

/**
 * Content of a stretch.
 *
 * - `LIST`: a list.
 * - `HOLE`: a gap stated by an event, in which nothing is proven.
 * - `NOT_AGGREGATOR`: polls in which the node said that it is no aggregator, so that there is nothing to miss.
 * - `UNSEEN`: the first contact with a node whose list has not been seen.
 */
export type StretchKind = 'LIST' | 'HOLE' | 'NOT_AGGREGATOR' | 'UNSEEN';

/** A proven time, and the unproven time after it. */
export interface Stretch {
  /** Counts the stretches of the node, from 0. */
  readonly number: number;
  readonly kind: StretchKind;
  /** The list's number behind its address, `NO_LIST` for none; null for `UNSEEN`. */
  readonly list: number | null;
  readonly from: Millis;
  /** The last poll up to which it is proven. */
  readonly to: Millis;
  /** The poll that ends the unproven time; null while that is ongoing. */
  readonly until: Millis | null;
  /** Whether rows may be missing in the unproven time without an event that states it: the list is out of sight. */
  readonly isUnstated: boolean;
  /** The last recorded row of the list; 0 for none. */
  readonly after: number;
}

/** The state from which the coverage of a node is computed. Plain data. */
export interface ListCoverage {
  readonly axis: TimeAxis | null;
  readonly source: SourceState | null;
  /** The list that was seen last, and whether it had rows: polls of older versions do not record that. */
  readonly current: number | null;
  readonly hasRows: boolean;
  readonly lists: readonly KnownList[];
  /** The last stretch of each remembered list, and of the time in which no list was seen. */
  readonly stretches: readonly Stretch[];
  readonly count: number;
  /** The last poll of the list, whatever it found. */
  readonly lookedAt: Millis | null;
}

export const NO_COVERAGE: ListCoverage = {
  axis: null,
  source: null,
  current: null,
  hasRows: false,
  lists: [],
  stretches: [],
  count: 0,
  lookedAt: null,
};

/**
 * Applies an event of a node, in the order of the log. Pure.
 * @returns the state, and the stretches that the event began or changed
 */
export function foldCoverage(
  state: ListCoverage,
  event: RecordedEvent,
): { readonly state: ListCoverage; readonly changed: readonly Stretch[] } {
  const { axis, event: placed } = placeOnAxis(state.axis, event);
  const step = new CoverageStep({ ...state, axis });
  step.apply(placed);
  return { state: step.state, changed: step.changed };
}

class CoverageStep {
  private readonly written = new Map<number, Stretch>();

  constructor(public state: ListCoverage) {}

  get changed(): Stretch[] {
    return [...this.written.values()];
  }

  apply(event: RecordedEvent): void {
    const at = microsToMillis(event.observedAt);
    switch (event.type) {
      case 'NodeRetired':
        return this.retire(at);
      case 'NodeWatched':
        return this.notePolls(event.body.looks.submissions, false);
      case 'SubmissionSourceChanged':
        this.notePolls(event.body.looks, true);
        return this.changeSource(event.body.state, at);
      case 'SubmissionsObserved': {
        const { looks, source, anchored, overlap, firstSequence, rows } = event.body;
        this.notePolls(looks, true);
        this.noteOldObservation(looks, source, anchored && overlap > 0 ? -Infinity : at, at);
        this.set({ current: source, hasRows: this.holdsRows(source) || rows.length > 0 });
        const stretch = this.stretchOf(source);
        return stretch && this.write({ ...stretch, after: firstSequence + rows.length - 1 });
      }
      case 'SubmissionRingSwitched':
        this.notePolls(event.body.looks, true);
        return this.set({ current: event.body.to, hasRows: true });
      case 'SubmissionHistoryMissing':
      case 'SubmissionRingReset':
      case 'SubmissionWindowLost':
      case 'SubmissionOverlapAmbiguous': {
        const { looks, source, from } = event.body;
        const counted = this.state.lists.filter(({ replacedAt }) => replacedAt === null);
        this.notePolls(looks, true);
        if (from !== null && this.state.hasRows) {
          this.noteOldObservation(looks, this.state.current, -Infinity, from);
        }
        this.set({ current: source, hasRows: this.holdsRows(source) });
        this.noteOldObservation(looks, source, at, at);
        const [only] = counted;
        return this.leaveOutGap(counted.length === 1 && only ? only.list : source, from, event.body.to);
      }
      default:
    }
  }

  private set(change: Partial<ListCoverage>): void {
    this.state = { ...this.state, ...change };
  }

  /** A list keeps its rows as long as it is the same list. */
  private holdsRows(list: number): boolean {
    return this.state.current === list && this.state.hasRows;
  }

  /** @param hasOwn whether the last poll is the event's own, whose result the event itself states */
  private notePolls(looks: Polls | undefined, hasOwn: boolean): void {
    if (!looks) return;
    const { lookedAt, source, current, hasRows } = this.state;
    const before = hasOwn ? quietTo(looks, lookedAt) : looks.last;
    this.set({ lookedAt: Math.max(lookedAt ?? looks.last, looks.last) });
    const { lists = [] } = looks;
    // Polls of older versions found the list unchanged; for an empty list that proves nothing.
    const isOldSight = looks.lists === undefined && source === 'AVAILABLE' && hasRows;
    const isNone = source === 'NOT_AGGREGATOR' && (hasOwn || lists.length === 0);
    const list = isOldSight ? current : isNone ? NO_LIST : null;
    if (list !== null && before !== null) this.see({ list, since: -Infinity, last: before });
    for (const seen of lists) this.see(seen);
  }

  /** Applies what an event of an older version proves about its own poll. */
  private noteOldObservation(looks: Polls, list: number | null, since: Millis, last: Millis): void {
    if (looks.lists === undefined && list !== null) this.see({ list, since, last });
  }

  private see({ list, since, last }: ProvenTime): void {
    const kind = list === NO_LIST ? 'NOT_AGGREGATOR' : 'LIST';
    const before = this.stretchOf(list);
    const away = kind === 'LIST' ? this.stretchOf(NO_LIST) : undefined;
    const given = since === -Infinity ? (before?.to ?? last) : Math.min(since, last);
    // Nothing can be missed while there was no list, but that time does not belong to the list either.
    const from =
      away?.until === null && away.from < away.to ? Math.max(given, Math.min(away.to, last)) : given;
    const goesOn = before !== undefined && from <= before.to && (kind === 'LIST' || before.until === null);
    const begin = goesOn || kind === 'LIST' ? from : last;
    this.endOthers(kind, goesOn ? before.to : from);
    if (goesOn && last > before.to) this.write({ ...before, to: last });
    if (!goesOn) {
      if (before && before.until === null) this.write({ ...before, until: begin, isUnstated: false });
      this.begin({ kind, list, from: begin, to: last, after: before?.after ?? 0 });
    }
    this.set({ lists: noteObserved(this.state.lists, { list, since: begin, last }) });
    if (kind === 'LIST') this.set({ current: list });
    this.settle();
  }

  /** Excludes the time of a gap from every list. @param list the list with the gap, if it is known */
  private leaveOutGap(list: number, from: Millis | null, to: Millis): void {
    if (from === null || from >= to) return;
    const { count } = this.state;
    this.set({ count: count + 1 });
    const gap = {
      number: count,
      kind: 'HOLE',
      list,
      from,
      to: from,
      until: to,
      isUnstated: false,
      after: 0,
    } as const;
    this.written.set(count, gap);
  }

  /** The time after each list's last stretch is unproven until another list takes its place. */
  private settle(): void {
    const { lists, stretches } = this.state;
    for (const stretch of stretches.filter(({ kind }) => kind === 'LIST')) {
      const seen = lists.find(({ list }) => list === stretch.list);
      if (!seen) continue;
      const isUnstated = !seen.isStated;
      if (stretch.until !== seen.replacedAt || stretch.isUnstated !== isUnstated) {
        this.write({ ...stretch, until: seen.replacedAt, isUnstated });
      }
    }
    const isRemembered = ({ list, until }: Stretch) =>
      list === null ? until === null : lists.some((each) => each.list === list);
    this.set({ stretches: this.state.stretches.filter(isRemembered) });
  }

  private changeSource(source: SourceState, at: Millis): void {
    this.set({ source, lookedAt: Math.max(this.state.lookedAt ?? at, at) });
    if (source === 'NOT_AGGREGATOR') return this.see({ list: NO_LIST, since: -Infinity, last: at });
    // A node that was never reached may not exist; a node that answers counts, even without a list.
    const isFirst = this.state.stretches.length === 0 && source !== 'UNREACHABLE' && source !== 'AVAILABLE';
    if (isFirst) this.begin({ kind: 'UNSEEN', list: null, from: at, to: at, after: 0 });
  }

  /** Ends `NOT_AGGREGATOR` when a list is seen, and `UNSEEN` when anything is. */
  private endOthers(kind: StretchKind, at: Millis): void {
    for (const stretch of this.state.stretches) {
      const isOver = stretch.kind === 'UNSEEN' || (stretch.kind === 'NOT_AGGREGATOR' && kind === 'LIST');
      if (isOver && stretch.until === null) this.write({ ...stretch, until: at });
    }
  }

  private retire(at: Millis): void {
    for (const stretch of this.state.stretches)
      if (stretch.until === null) this.write({ ...stretch, until: at });
    this.set({ lists: [], stretches: [], current: null, hasRows: false });
  }

  private begin(stretch: Pick<Stretch, 'kind' | 'list' | 'from' | 'to' | 'after'>): void {
    const { count, stretches } = this.state;
    const begun = { ...stretch, number: count, until: null, isUnstated: stretch.kind === 'LIST' };
    const others = stretches.filter(({ list }) => list === null || list !== stretch.list);
    this.set({ count: count + 1, stretches: [...others, begun] });
    this.written.set(begun.number, begun);
  }

  private write(given: Stretch): void {
    const until = given.until === null ? null : Math.max(given.to, given.until);
    const stretch = { ...given, until };
    this.written.set(stretch.number, stretch);
    const replace = (each: Stretch) => (each.number === stretch.number ? stretch : each);
    this.set({ stretches: this.state.stretches.map(replace) });
  }

  private stretchOf(list: number): Stretch | undefined {
    return this.state.stretches.find((stretch) => stretch.list === list);
  }
}
