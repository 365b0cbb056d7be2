import type { Polls, NewEvent, SourceState } from '../../../src/domain/events.js';
import { NO_LIST } from '../../../src/domain/coverage/observations.js';
import { carryPollsOnce } from '../../../src/domain/submissions/verdict-events.js';
import type { Millis } from '../../../src/domain/time.js';
import { ProvenList, type YearLooks } from './year-event.js';
import type { YearRow } from './year-rows.js';

const RING_SIZE = 100;

/** Records a node's list of submissions, as an observer would. */
export class ListWatch {
  /** Time of the last poll. */
  at: Millis = 0;
  private list = new ProvenList(NO_LIST);
  private lists = 0;
  private ring = 0;
  private sequence = 0;
  private shown = 0;

  constructor(
    private readonly looks: YearLooks,
    private readonly append: (event: NewEvent) => void,
  ) {}

  /** The node begins to lead, with an empty list, or begins to follow. */
  turn(at: Millis, isLeader: boolean): void {
    const state = isLeader ? 'AVAILABLE' : 'NOT_AGGREGATOR';
    const isFirst = isLeader && this.lists === 0;
    this.list = new ProvenList(isLeader ? this.lists++ : NO_LIST);
    const looks = this.take(at);
    const detail = isLeader ? 'the list is there' : 'This node is not an aggregator';
    const bounds = { minLost: 0, maxLost: null, likelyLost: null };
    const body = { looks, source: this.list.list, after: 0, from: null, to: at, ...bounds };
    this.record(at, [
      { type: 'SubmissionSourceChanged', observedAt: at, body: { looks, state, detail } },
      ...(isFirst ? [{ type: 'SubmissionHistoryMissing', observedAt: at, body } as const] : []),
    ]);
  }

  /** Records rows as they come. @param delay from a row to the next poll */
  see(rows: readonly YearRow[], delay: () => Millis): void {
    for (let next = 0; next < rows.length;) {
      const at = Math.max((rows[next] as YearRow).at, this.at) + delay();
      const end = rows.findIndex((row) => row.at > at);
      const fresh = rows.slice(next, end < 0 ? undefined : end);
      this.record(at, this.show(at, fresh, this.take(at), this.shown));
      next += fresh.length;
    }
  }

  /** Polls without new rows. */
  lookAgain(at: Millis): Polls {
    return this.take(at);
  }

  /** The list cannot be read. */
  fail(at: Millis, state: SourceState, detail: string): void {
    const seen = this.list.see(at - 2_000);
    const looks = { ...this.looks.takeFailed('submissions', at), lists: [seen] };
    this.record(at, [{ type: 'SubmissionSourceChanged', observedAt: at, body: { looks, state, detail } }]);
  }

  /** The same list can be read again, with all rows that came meanwhile. */
  comeBack(at: Millis, rows: readonly YearRow[]): void {
    const looks = this.take(at);
    const body = { looks, state: 'AVAILABLE', detail: 'the list is there' } as const;
    this.record(at, [
      { type: 'SubmissionSourceChanged', observedAt: at, body },
      ...this.show(at, rows, looks, this.shown),
    ]);
  }

  /** The process was restarted, with a new list. @param likelyLost estimated number of rows that were not seen */
  restart(at: Millis, rows: readonly YearRow[], likelyLost: number): void {
    const from = this.list.last;
    this.list = new ProvenList(this.lists++);
    this.ring += 1;
    this.shown = 0;
    const looks = { ...this.looks.take('submissions', at), lists: [] };
    const bounds = { minLost: 0, maxLost: null, likelyLost };
    const place = { source: this.list.list, after: this.sequence, from, to: at, ring: this.ring };
    this.record(at, [
      { type: 'SubmissionRingReset', observedAt: at, body: { looks, ...place, ...bounds } },
      ...this.show(at, rows, looks, 0),
    ]);
  }

  private show(at: Millis, rows: readonly YearRow[], looks: Polls, overlap: number): NewEvent[] {
    if (rows.length === 0) return [];
    const body = {
      looks,
      overlap: Math.max(0, Math.min(overlap, RING_SIZE - rows.length)),
      anchored: overlap > 0,
      source: this.list.list,
      ring: this.ring,
      newestFirst: true,
      ringSize: RING_SIZE,
      firstSequence: this.sequence + 1,
      rows: rows.map(({ text }) => text),
    };
    this.sequence += rows.length;
    this.shown = Math.min(RING_SIZE, this.shown + rows.length);
    return [{ type: 'SubmissionsObserved', observedAt: at, body }];
  }

  /** Appends the events of one poll. */
  private record(at: Millis, events: readonly NewEvent[]): void {
    for (const event of carryPollsOnce(events)) this.append(event);
    this.at = at;
  }

  private take(at: Millis): Polls {
    return { ...this.looks.take('submissions', at), lists: [this.list.see(at)] };
  }
}
