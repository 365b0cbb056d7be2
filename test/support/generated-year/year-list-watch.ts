import type { LossFact, NewEvent, SourceState } from '../../../src/domain/events.js';
import type { YearEvent } from '../demo-year/year-event.js';
import type { YearRow } from './year-chain.js';
import { looksOf } from './year-looks.js';
import { HOUR, YEAR_END, type Absence, type NodePlan } from './year-plan.js';

const FULL_LIST = 100;
/** Rows that a list still shows after a loss. */
const SHOWN_AFTER_LOSS = 8;
const HEARTBEAT = 10 * HOUR;
const END = YEAR_END + 12 * HOUR;
const LOSSES = {
  LOST: 'SubmissionWindowLost',
  RESET: 'SubmissionRingReset',
  AMBIGUOUS: 'SubmissionOverlapAmbiguous',
} as const;

/** Records what an observer of a node's list would. `shown` has every observed row, in the order of sequences. */
export class ListWatch {
  readonly events: YearEvent[] = [];
  readonly shown: YearRow[] = [];
  private readonly absences: Absence[];
  private lastLook: number | null = null;
  private at: number;
  private next = 0;
  private ring = 0;
  private source: SourceState | null = null;

  constructor(
    private readonly node: NodePlan,
    private readonly rows: readonly YearRow[],
    private readonly random: () => number,
  ) {
    this.at = node.from;
    const follows = node.leadsFrom > node.from;
    const before: Absence = { from: node.from, to: node.leadsFrom, kind: 'NOT_AGGREGATOR' };
    const after: Absence = { from: node.leadsTo, to: Infinity, kind: 'NOT_AGGREGATOR' };
    this.absences = [...(follows ? [before] : []), ...node.absences, after];
  }

  watch(): this {
    while (this.at < END) this.step();
    return this;
  }

  private step(): void {
    const row = this.rows[this.next];
    const delay = 300 + Math.floor(this.random() ** 4 * 90_000);
    const heartbeat = this.at + HEARTBEAT;
    const target = Math.max(this.at + 1_000, Math.min(heartbeat, row ? row.enteredAt + delay : Infinity));
    const [absence] = this.absences;
    if (!absence || target < absence.from) return this.look((this.at = target));
    this.absences.shift();
    this.leave(absence);
    if (absence.kind === 'NOT_AGGREGATOR') this.hearNoAggregator(absence);
    this.at = absence.to;
    if (absence.to < END) this.comeBack(absence);
  }

  private leave({ kind, from }: Absence): void {
    const isTold = kind !== 'LATE' && kind !== 'LOST' && kind !== 'RESET' && kind !== 'AMBIGUOUS';
    if (isTold) this.change(kind, Math.max(from, this.at), false);
  }

  /** The node reports that it is not an aggregator, until it becomes one. */
  private hearNoAggregator({ from, to }: Absence): void {
    // Other nodes are polled last within a heartbeat of the end.
    const last = Math.min(to, END + HEARTBEAT);
    for (let before = from; before < last;) {
      const at = Math.min(before + HEARTBEAT, last);
      const looks = { submissions: looksOf(before, at, false) };
      this.append('node', { type: 'NodeWatched', observedAt: at, body: { looks } });
      before = at;
    }
  }

  private comeBack({ kind }: Absence): void {
    const { at } = this;
    const from = this.next;
    if (kind === 'LATE' || !(kind in LOSSES)) return this.look(at);
    const entered = this.enteredBy(at);
    if (kind === 'LOST') this.next = Math.max(from, entered - SHOWN_AFTER_LOSS);
    if (kind === 'RESET') {
      this.ring += 1;
      this.next = Math.max(from, entered - 1);
    }
    this.lose(LOSSES[kind as keyof typeof LOSSES], this.next - from);
    this.look(at, kind === 'AMBIGUOUS' ? 3 : 0);
  }

  private look(at: number, overlap = 1): void {
    const isFirst = this.lastLook === null;
    if (this.source !== 'AVAILABLE') this.change('AVAILABLE', at, true);
    if (isFirst) {
      this.next = Math.max(0, this.enteredBy(at) - FULL_LIST);
      this.lose('SubmissionHistoryMissing', 0);
    }
    const fresh = this.rows.slice(this.next, this.enteredBy(at));
    const looks = looksOf(this.lastLook, at, this.hasClock(at));
    if (fresh.length === 0) {
      this.append('node', { type: 'NodeWatched', observedAt: at, body: { looks: { submissions: looks } } });
    } else {
      const body = {
        looks,
        overlap: isFirst ? 0 : overlap,
        anchored: overlap !== 3,
        source: 0,
        ring: this.ring,
        newestFirst: true,
        ringSize: FULL_LIST,
        firstSequence: this.shown.length + 1,
        rows: fresh.map(({ text }) => text),
      };
      this.append('submissions', { type: 'SubmissionsObserved', observedAt: at, body });
      this.shown.push(...fresh);
      this.next += fresh.length;
    }
    this.lastLook = at;
  }

  private lose(type: (typeof LOSSES)[keyof typeof LOSSES] | 'SubmissionHistoryMissing', lost: number): void {
    const { at, lastLook } = this;
    const fact: LossFact = {
      looks: looksOf(lastLook, at, this.hasClock(at)),
      source: 0,
      after: this.shown.length,
      from: lastLook,
      to: at,
      minLost: lost > 0 ? 1 : 0,
      maxLost: type === 'SubmissionHistoryMissing' ? null : lost + 2,
      likelyLost: lost,
    };
    const more = { ring: this.ring, overlap: 3 };
    this.append('submissions', { type, observedAt: at, body: { ...fact, ...more } });
  }

  private change(state: SourceState, at: number, isSeen: boolean): void {
    this.source = state;
    const looks = looksOf(this.lastLook, at, isSeen && this.hasClock(at));
    const body = { looks, state, detail: '' };
    this.append('submissions', { type: 'SubmissionSourceChanged', observedAt: at, body });
  }

  private enteredBy(at: number): number {
    let index = this.next;
    while ((this.rows[index]?.enteredAt ?? Infinity) <= at) index += 1;
    return index;
  }

  private hasClock(at: number): boolean {
    const { noClock } = this.node;
    return !noClock || at < noClock.from || at >= noClock.to;
  }

  private append(subject: string, event: NewEvent): void {
    this.events.push({ stream: `${this.node.id}/${subject}`, event });
  }
}
