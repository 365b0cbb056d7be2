import type { Polls, NewEvent, RecordedEvent, Subject } from '../../src/domain/events.js';
import { packIntegers } from '../../src/domain/blocks/packed-columns.js';
import { ForeseenHealth } from '../../src/domain/health/health.js';
import { DEFAULT_THRESHOLDS } from '../../src/domain/health/health-thresholds.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { loadRecording, loadTruth, type RecordedLine } from './recording.js';

const PREFIX = '/evnode.v1.StoreService';
const CHAIN = { chain: 'lab-1', lineage: 1 } as const;
const BOOKS: readonly Subject[] = ['submissions', 'blocks', 'probes', 'claims'];

/** The recorded aggregator as a function of time, reduced to the inputs of health. */
class RecordedNode {
  private readonly recording = loadRecording('aggregator');
  readonly startMs = this.recording.startMs;
  readonly lengthMs = this.recording.lengthMs;
  readonly truth = loadTruth();
  private readonly includedAt = this.findInclusion();
  private readonly downFrom = (this.recording.lines.get('GET /da/submissions') ?? [])
    .filter(({ answer }) => !answer)
    .map(({ t }) => t);

  isUp(t: number): boolean {
    return this.line('GET /da/submissions', t)?.answer !== undefined;
  }

  /** The number of the run; changes with each restart of the node. */
  run(t: number): number {
    return this.downFrom.filter((down) => down <= t).length;
  }

  head(t: number): number {
    const state = this.json(`${PREFIX}/GetState`, t)?.['state'] as { lastBlockHeight?: string } | undefined;
    return Number(state?.lastBlockHeight ?? 0);
  }

  lastSubmitted(t: number): string | null {
    const value = this.json(`${PREFIX}/GetMetadata last-submitted-header-height`, t)?.['value'];
    return typeof value === 'string' ? Buffer.from(value, 'base64').readBigUInt64LE().toString() : null;
  }

  isIncluded(height: number, t: number): boolean {
    return (this.includedAt.get(height) ?? Infinity) <= t;
  }

  claim(t: number): string | null {
    return (this.json('GET /da/health', t)?.['status'] as string | undefined) ?? null;
  }

  private json(key: string, t: number): Record<string, unknown> | undefined {
    const body = this.line(key, t)?.answer?.body.toString();
    return body?.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : undefined;
  }

  private line(key: string, t: number): RecordedLine | undefined {
    return this.recording.lines.get(key)?.findLast((line) => line.t <= t);
  }

  private findInclusion(): Map<number, number> {
    const found = new Map<number, number>();
    for (const [key, lines] of this.recording.lines) {
      const height = /GetBlock (\d+)$/.exec(key)?.[1];
      const line = lines.find(({ answer }) => answer?.body.includes('"dataDaHeight"'));
      if (height && line?.answer?.body.includes('"headerDaHeight"')) found.set(Number(height), line.t);
    }
    return found;
  }
}

let node: RecordedNode | undefined;

/**
 * The events that observers at given polling intervals would record of the recorded aggregator, in the order of the log, without
 * any I/O. Times are the recording's own: `startMs` is its start.
 *
 * @param random uniform in [0, 1): phases and jitter
 */
export function observeRecording(random: () => number): { startMs: number; events: RecordedEvent[] } {
  node ??= new RecordedNode();
  return { startMs: node.startMs, events: new Observation(node, random).run() };
}

class Observation {
  private readonly events: RecordedEvent[] = [];
  private readonly books = new Map(BOOKS.map((subject) => [subject, new PollBook()]));
  private readonly foreseen = new ForeseenHealth('recorded/node', DEFAULT_THRESHOLDS);
  private readonly state = {
    source: '',
    run: -1,
    rows: 0,
    recorded: 0,
    lastLook: null as number | null,
    recordedTo: 0,
    walkedTo: 1,
    progressAt: -Infinity,
    reachable: null as boolean | null,
    claim: undefined as string | null | undefined,
  };

  constructor(
    private readonly node: RecordedNode,
    private readonly random: () => number,
  ) {}

  run(): RecordedEvent[] {
    this.append('node', 0, 'NodeRegistered', { url: 'http://recorded' });
    const loops = [
      (t: number) => this.lookAtList(t),
      (t: number) => this.lookAtBlocks(t),
      (t: number) => this.lookAtProbes(t),
      (t: number) => this.lookAtClaims(t),
      (t: number) => this.writeLooks(t),
    ].map((look) => ({ look, at: this.random() * 1_000 }));
    for (;;) {
      const next = loops.reduce((first, loop) => (loop.at < first.at ? loop : first));
      if (next.at > this.node.lengthMs) return this.events;
      const t = Math.round(next.at);
      next.at = t + next.look(t) * (0.9 + 0.2 * this.random());
    }
  }

  private lookAtList(t: number): number {
    const { node, state } = this;
    this.book('submissions').note(node.startMs + t);
    const source = node.isUp(t) ? 'AVAILABLE' : 'UNREACHABLE';
    const rows: NewEvent[] = [];
    if (source === 'AVAILABLE') {
      const known = node.truth.slice(0, state.rows);
      const entered = node.truth.filter((row) => row.t <= t).length;
      const run = node.run(t);
      const fresh = node.truth.slice(known.length, entered).filter((row) => node.run(row.t) === run);
      const isAnchored = state.run === run && known.some((row) => node.run(row.t) === run);
      const hole = { source: run, after: state.recorded, from: state.lastLook, to: node.startMs + t };
      const bounds = { minLost: 0, maxLost: null, likelyLost: null };
      if (state.run !== run && state.run !== -1) {
        rows.push(this.event(t, 'SubmissionRingReset', { ...hole, ...bounds, looks: this.same(t), ring: 1 }));
      }
      if (fresh.length > 0) {
        rows.push(
          this.event(t, 'SubmissionsObserved', {
            looks: this.same(t),
            source: run,
            overlap: isAnchored ? 1 : 0,
            anchored: isAnchored,
            firstSequence: state.recorded + 1,
            rows: fresh.map(({ row }) => JSON.stringify(row)),
          }),
        );
      }
      Object.assign(state, {
        run,
        rows: entered,
        recorded: state.recorded + fresh.length,
        lastLook: node.startMs + t,
      });
    }
    if (source !== state.source)
      rows.unshift(this.event(t, 'SubmissionSourceChanged', { state: source, detail: '' }));
    state.source = source;
    this.record('submissions', t, rows);
    return 500 + 1_500 * this.random();
  }

  private lookAtBlocks(t: number): number {
    const { node, state } = this;
    if (!node.isUp(t)) return 2_000;
    this.book('blocks').note(node.startMs + t);
    const events: NewEvent[] = [];
    const head = node.head(t);
    if (head > state.recordedTo) {
      const heights = Array.from(
        { length: head - state.recordedTo },
        (_, index) => state.recordedTo + 1 + index,
      );
      const daHeights = packIntegers(heights.map((height) => (node.isIncluded(height, t) ? 1n : null)));
      const range = { from: String(heights[0]), to: String(head), count: heights.length };
      const body = { ...CHAIN, ...range, headerDaHeights: daHeights, dataDaHeights: daHeights };
      events.push(this.event(t, 'BlocksObserved', body));
    }
    const included: [string, string, string][] = [];
    while (state.walkedTo <= head && node.isIncluded(state.walkedTo, t)) {
      if (state.walkedTo <= state.recordedTo) included.push([String(state.walkedTo), '1', '1']);
      state.walkedTo += 1;
    }
    state.recordedTo = head;
    if (included.length > 0)
      events.push(this.event(t, 'BlockInclusionObserved', { ...CHAIN, heights: included }));
    if (t - state.progressAt >= 60_000) {
      state.progressAt = t;
      const told = {
        head: String(head),
        lastSubmittedHeader: node.lastSubmitted(t),
        firstPending: String(state.walkedTo),
      };
      const untold = { headTimeNs: null, daIncluded: null, lastSubmittedData: null, headerStoreHead: null };
      events.push(
        this.event(t, 'NodeProgressObserved', { ...told, ...untold, oldest: '1', clockOffsetMs: 0 }),
      );
    }
    this.record('blocks', t, events);
    return included.length > 0 ? 5_000 : 2_000;
  }

  private lookAtProbes(t: number): number {
    const { node, state } = this;
    this.book('probes').note(node.startMs + t);
    const isUp = node.isUp(t);
    const events = (['reachable', 'live', 'ready'] as const).map((probe) =>
      this.event(t, 'ProbeChanged', {
        looks: this.same(t),
        probe,
        outcome: isUp ? 'OK' : 'REFUSED',
        statusCode: isUp ? 200 : null,
        detail: '',
        latencyMs: 1,
      }),
    );
    this.record('probes', t, isUp === state.reachable ? [] : events);
    state.reachable = isUp;
    return isUp ? 5_000 : 1_000;
  }

  private lookAtClaims(t: number): number {
    const { node, state } = this;
    if (!node.isUp(t)) return 5_000;
    this.book('claims').note(node.startMs + t);
    const status = node.claim(t);
    const event = this.event(t, 'DaHealthClaimed', { looks: this.same(t), status, body: { status } });
    this.record('claims', t, status === state.claim ? [] : [event]);
    state.claim = status;
    return 5_000;
  }

  private writeLooks(t: number): number {
    const now = this.node.startMs + t;
    const looks: Partial<Record<Subject, Polls>> = {};
    for (const [subject, book] of this.books) {
      const unwritten = book.peek();
      if (unwritten) looks[subject] = unwritten;
    }
    const isOld = Object.values(looks).some(({ first }) => now - first >= 60_000);
    if (isOld || this.foreseen.isChangedBy(looks, now)) {
      for (const book of this.books.values()) book.take();
      this.append('node', t, 'NodeWatched', { looks });
    }
    return 1_000;
  }

  /** Appends events of one poll; the first of them records the polls. */
  private record(subject: Subject, t: number, events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    const looks = this.book(subject).take();
    for (const [index, { type, body }] of events.entries()) {
      const carried = index === 0 && looks ? { ...body, looks } : body;
      this.append(subject, t, type, carried);
    }
  }

  private event(t: number, type: NewEvent['type'], body: object): NewEvent {
    return { type, observedAt: this.node.startMs + t, body } as NewEvent;
  }

  private append(subject: string, t: number, type: NewEvent['type'], body: object): void {
    const position = BigInt(this.events.length + 1);
    const at = BigInt(this.node.startMs + t) * 1000n;
    const head = { position, stream: `recorded/${subject}`, version: position, schema: 1 };
    const event = { ...head, type, observedAt: at, recordedAt: at, body } as unknown as RecordedEvent;
    this.events.push(event);
    this.foreseen.noteRecorded([event]);
  }

  private same(t: number): Polls {
    const at = this.node.startMs + t;
    return { first: at, last: at, count: 0, longestGapMs: 0 };
  }

  private book(subject: Subject): PollBook {
    return this.books.get(subject) as PollBook;
  }
}
