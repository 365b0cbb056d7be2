import type { Polls, NewEvent, RecordedEvent, SourceState, Subject } from '../../src/domain/events.js';

const START_MS = Date.UTC(2026, 10, 21, 3, 0, 0);
const STREAMS: Readonly<Record<string, string>> = {
  Submission: 'submissions',
  Block: 'blocks',
  NodeProgress: 'blocks',
  Node: 'node',
  Probe: 'probes',
  Da: 'claims',
};

/** Content of `BlocksObserved` for blocks of a lineage: their times distinguish it from others. */
export const contentOf = (lineage: number) => ({
  chainId: 'told',
  times: [String(lineage)],
  dataHashes: '',
  appHashes: '',
  signatures: '',
  signerKeys: '',
  txCounts: 1,
  txBytes: 0,
  dataBlobBytes: null,
});

/** Builds the events that observers of one node recorded, poll by poll. Times are seconds since the story's start. */
export class HealthStory {
  readonly events: RecordedEvent[] = [];
  readonly startMs = START_MS;
  private recordedTo = 0;
  private walkedTo = 1;
  private lineage = 1;
  private readonly looks = new Map<Subject, { count: number; first: number; last: number; gap: number }>();

  constructor() {
    this.append(0, 'NodeRegistered', { url: 'http://told' });
  }

  /** Removes the node from the settings. */
  retire(at: number): this {
    return this.append(at, 'NodeRetired', {});
  }

  /** Adds the node to the settings again; its description was read. */
  register(at: number): this {
    this.append(at, 'NodeRegistered', { url: 'http://told' });
    return this.append(at, 'NodeDescribed', { chain: null, aggregator: true });
  }

  /** A poll of the list that shows new rows: `.` a success, `x` a failure, `f` a failure for lack of funds, `r` a refused one. */
  rows(at: number, rows: string): this {
    const messages: Readonly<Record<string, string>> = { f: 'insufficient funds', r: 'connection refused' };
    const texts = rows.split('').map((row) => {
      const failure = { status: 'Error', message: messages[row] ?? 'no route' };
      return JSON.stringify(row === '.' ? { status: 'Success' } : failure);
    });
    return this.append(at, 'SubmissionsObserved', { looks: this.take('submissions', at), rows: texts });
  }

  /** A poll of the list that shows new successes, which happened at these times by the node's clock. */
  posts(at: number, times: readonly number[]): this {
    const rows = times.map((time) => {
      const timestamp = new Date(START_MS + time * 1000).toISOString();
      return JSON.stringify({ status: 'Success', timestamp });
    });
    return this.append(at, 'SubmissionsObserved', { looks: this.take('submissions', at), rows });
  }

  /** Polls without news, every `every` seconds after `from` up to `to`, recorded together. */
  quiet(subject: Subject, from: number, to: number, every = 1): this {
    this.looked(subject, from, to, every);
    const looks = this.looks.get(subject);
    if (!looks || looks.count === 0) return this;
    return this.append(to, 'NodeWatched', { looks: { [subject]: this.empty(subject) } });
  }

  /** Like `quiet`, but the next event of the subject records the polls. */
  looked(subject: Subject, from: number, to: number, every = 1): this {
    for (let at = from + every; at <= to; at += every) this.note(subject, at);
    return this;
  }

  source(at: number, state: SourceState, detail = ''): this {
    return this.append(at, 'SubmissionSourceChanged', { looks: this.take('submissions', at), state, detail });
  }

  reset(at: number): this {
    return this.append(at, 'SubmissionRingReset', { looks: this.take('submissions', at), ring: 1 });
  }

  /** A poll of the blocks: the head, and the height up to which all are included. */
  blocks(at: number, head: number, includedTo: number): this {
    const looks = this.take('blocks', at);
    if (head > this.recordedTo) {
      const body = { from: String(this.recordedTo + 1), to: String(head), count: head - this.recordedTo };
      this.append(at, 'BlocksObserved', {
        looks,
        chain: 'told',
        lineage: this.lineage,
        ...contentOf(this.lineage),
        ...body,
      });
    }
    const heights: [string, string, string][] = [];
    for (; this.walkedTo <= includedTo; this.walkedTo += 1)
      heights.push([String(this.walkedTo), String(Math.ceil(at)), String(Math.ceil(at))]);
    const carried = head > this.recordedTo ? {} : { looks };
    if (heights.length > 0)
      this.append(at, 'BlockInclusionObserved', {
        ...carried,
        chain: 'told',
        lineage: this.lineage,
        heights,
      });
    this.recordedTo = Math.max(head, this.recordedTo);
    return this;
  }

  /** A poll of the blocks that shows another history of the chain from a height. */
  turn(at: number, from = 1, lineage = 2): this {
    this.recordedTo = from - 1;
    this.walkedTo = from;
    this.lineage = lineage;
    return this.blocks(at, from, 0);
  }

  /** The node's own report; null: not reported. */
  progress(at: number, head: number, submitted: number | null, pending: number | null = null): this {
    const text = (height: number | null) => (height === null ? null : String(height));
    const told = { head: text(head), lastSubmittedHeader: text(submitted), firstPending: text(pending) };
    return this.append(at, 'NodeProgressObserved', told);
  }

  probe(
    at: number,
    probe: string,
    outcome: string,
    statusCode: number | null = null,
    more: object = {},
  ): this {
    const looks = this.take('probes', at);
    const body = { looks, probe, outcome, statusCode, detail: '', latencyMs: 1, ...more };
    return this.append(at, 'ProbeChanged', body);
  }

  claim(at: number, status: string): this {
    return this.append(at, 'DaHealthClaimed', { looks: this.take('claims', at), status, body: {} });
  }

  describe(at: number, aggregator: boolean): this {
    return this.append(at, 'NodeDescribed', { chain: 'told', aggregator });
  }

  /** Successes every second, with blocks that are included at once, after `from` up to `to`. */
  well(from: number, to: number): this {
    for (let at = from + 1; at <= to; at += 1) {
      this.rows(at, '.');
      if (at % 2 === 0) this.blocks(at, at, at - 1);
    }
    return this;
  }

  private note(subject: Subject, at: number): void {
    const ms = START_MS + at * 1000;
    const known = this.looks.get(subject) ?? { count: 0, first: 0, last: 0, gap: 0 };
    this.looks.set(subject, {
      count: known.count + 1,
      first: known.count === 0 ? ms : known.first,
      last: ms,
      gap: Math.max(known.gap, known.last === 0 ? 0 : ms - known.last),
    });
  }

  private take(subject: Subject, at: number): Polls {
    this.note(subject, at);
    return this.empty(subject);
  }

  private empty(subject: Subject): Polls {
    const known = this.looks.get(subject) ?? { count: 0, first: 0, last: 0, gap: 0 };
    this.looks.set(subject, { ...known, count: 0, gap: 0 });
    return { first: known.first, last: known.last, count: known.count, longestGapMs: known.gap };
  }

  private append(at: number, type: NewEvent['type'], body: object): this {
    const position = BigInt(this.events.length + 1);
    const micros = BigInt(Math.round(START_MS + at * 1000)) * 1000n;
    const prefix = Object.keys(STREAMS).find((name) => type.startsWith(name)) ?? 'Node';
    const subject = type === 'NodeProgressObserved' ? 'blocks' : STREAMS[prefix];
    const head = { position, version: position, schema: 1, observedAt: micros, recordedAt: micros };
    this.events.push({ ...head, stream: `told/${subject}`, type, body } as unknown as RecordedEvent);
    return this;
  }
}
