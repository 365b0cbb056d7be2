import type { DecodedBlock } from '../../src/domain/blocks/block.js';
import type { NewEvent, RecordedEvent, SourceState } from '../../src/domain/events.js';
import { applyVerdict, initialRing } from '../../src/domain/submissions/known-ring.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import { reconcile } from '../../src/domain/submissions/reconcile-window.js';
import { carryPollsOnce, eventsOfVerdict } from '../../src/domain/submissions/verdict-events.js';
import { NOTHING_PROVEN, verifyBlocks, type VerifyContext } from '../../src/domain/blocks/verify-block.js';
import { draftBlock } from '../../src/domain/blocks/block-draft.js';
import { decodeBlock } from '../../src/node-api/decode-block.js';
import { PollBook } from '../../src/observe/poll-book.js';
import { loadRecording, type Recording } from './recording.js';

/** The namespaces of the recorded chain. */
export const HEADER_NAMESPACE = '000000000000000000000000000000000000001628c730f46c460a762a';
export const DATA_NAMESPACE = '00000000000000000000000000000000000000657678d7514f28fead58';

export interface RecordLogOptions {
  readonly nodes: readonly ('aggregator' | 'follower')[];
  /** A time without polls, in milliseconds since the start. */
  readonly cut?: { readonly from: number; readonly to: number };
  /** Milliseconds between polls. */
  readonly every?: number;
  /** Replaces each recorded row that the nodes show. */
  readonly rewrite?: (row: Readonly<Record<string, unknown>>) => object;
  /** Whether the nodes do not report their namespaces. */
  readonly tellsNoNamespaces?: boolean;
  /** The first poll of the nodes, milliseconds since the start. */
  readonly from?: number;
  /** The last poll of the nodes; the end of the recordings by default. */
  readonly to?: number;
}

/** The log that observers of the recorded nodes would write, produced by the same pure functions without any I/O. */
export function recordLog(options: RecordLogOptions): RecordedEvent[] {
  const every = options.every ?? 1_000;
  const log: RecordedEvent[] = [];
  const watches = options.nodes.map((file) => new RecordedNode(file, log, options));
  const length = options.to ?? Math.max(...watches.map(({ lengthMs }) => lengthMs));
  for (let t = options.from ?? 0; t <= length; t += every) {
    if (options.cut && t >= options.cut.from && t < options.cut.to) continue;
    for (const watch of watches) watch.poll(t);
  }
  return log;
}

/** Appends events with positions and streams, as a log does. */
export function appendTo(log: RecordedEvent[], stream: string, events: readonly NewEvent[]): void {
  for (const { type, observedAt, body } of events) {
    const position = BigInt(log.length + 1);
    const at = BigInt(observedAt) * 1000n;
    const head = { position, stream, version: position, schema: 1, observedAt: at, recordedAt: at };
    log.push({ ...head, type, body } as RecordedEvent);
  }
}

/** Decoded blocks of recorded answers, because a block that waits for its inclusion is polled repeatedly. */
const decoded = new WeakMap<object, DecodedBlock>();

class RecordedNode {
  readonly recording: Recording;
  readonly lengthMs: number;
  private readonly books = { submissions: new PollBook(), blocks: new PollBook() };
  private ring = initialRing();
  private source: SourceState | undefined;
  private lastLook: number | null = null;
  private watchedAt = -Infinity;
  private isDescribed = false;
  private context: VerifyContext = { previous: null, proven: NOTHING_PROVEN };
  private readonly pending = new Map<bigint, string>();

  constructor(
    private readonly id: 'aggregator' | 'follower',
    private readonly log: RecordedEvent[],
    private readonly options: Pick<RecordLogOptions, 'rewrite' | 'tellsNoNamespaces'>,
  ) {
    this.recording = loadRecording(id);
    this.lengthMs = this.recording.lengthMs;
    const body = { url: `http://${id}` };
    this.append('node', [{ type: 'NodeRegistered', observedAt: this.recording.startMs, body }]);
  }

  poll(t: number): void {
    const at = this.recording.startMs + t;
    const list = this.recording.lines.get('GET /da/submissions')?.findLast((line) => line.t <= t);
    const isUp = list?.answer !== undefined;
    const nodeClock = isUp ? Math.floor(at / 1000) * 1000 : undefined;
    if (isUp && !this.isDescribed) this.describe(at);
    this.books.submissions.note(at, nodeClock);
    this.lookAtList(at, list?.answer?.body.toString());
    if (isUp) {
      this.books.blocks.note(at, nodeClock);
      this.lookAtBlocks(t, at);
    }
    if (t - this.watchedAt >= 10_000) this.writeLooks(t, at);
  }

  private describe(observedAt: number): void {
    this.isDescribed = true;
    const isAggregator = this.id === 'aggregator';
    const body = {
      chain: 'lab-1',
      servicePrefix: 'evnode.v1',
      shape: 'EV_NODE' as const,
      aggregator: isAggregator,
      headerNamespace: this.options.tellsNoNamespaces ? null : HEADER_NAMESPACE,
      dataNamespace: this.options.tellsNoNamespaces ? null : DATA_NAMESPACE,
    };
    this.append('node', [{ type: 'NodeDescribed', observedAt, body }]);
  }

  private lookAtList(at: number, text: string | undefined): void {
    const answer = text?.startsWith('{') ? (JSON.parse(text) as { submissions: object[] }) : undefined;
    const isFollower = answer && 'is_aggregator' in answer;
    const state = !answer ? 'UNREACHABLE' : isFollower ? 'NOT_AGGREGATOR' : 'AVAILABLE';
    const events: NewEvent[] = [];
    const looks = this.books.submissions.take();
    if (!looks) return;
    if (state !== this.source) {
      events.push({ type: 'SubmissionSourceChanged', observedAt: at, body: { looks, state, detail: '' } });
    }
    // A poll over the connection of the previous poll: the process is down in between whenever it restarts.
    const isSameProcess = this.source === 'AVAILABLE';
    this.source = state;
    if (answer && !isFollower) {
      const { rewrite } = this.options;
      const rows = answer.submissions.map((row) =>
        JSON.stringify(rewrite ? rewrite(row as Record<string, unknown>) : row),
      );
      const verdict = reconcile(this.ring, { rows, complete: true, isSameProcess });
      const known = this.ring;
      const { lastLook: provenTo } = this;
      const more = {
        isReturn: verdict.kind === 'SWITCHED',
        failingSince: null,
        rowsPerSecond: null,
        rows,
        forms: rows,
        originals: {},
        looks,
      };
      events.push(...eventsOfVerdict(verdict, { at, provenTo, known, ...more }));
      this.ring = applyVerdict(this.ring, verdict);
      this.lastLook = at;
    }
    if (events.length > 0) this.append('submissions', carryPollsOnce(events));
    else this.books.submissions.giveBack(looks);
  }

  private lookAtBlocks(t: number, observedAt: number): void {
    const fresh = this.recording.blocks.filter(
      ({ height, seenAt }) => seenAt <= t && height > (this.context.previous?.height ?? 0n),
    );
    const events: NewEvent[] = [];
    const chain = { chain: 'lab-1', lineage: 1 };
    const inclusion = this.findInclusion(t);
    if (fresh.length > 0) {
      const drafts = fresh.map(({ height }) => draftBlock({ height, block: this.blockAt(height, t) }));
      const verified = verifyBlocks(drafts, this.context);
      this.context = { previous: verified.previous, proven: verified.proven };
      const body = { ...chain, ...packBlocks(verified.blocks, verified.late) };
      events.push({ type: 'BlocksObserved', observedAt, body });
      for (const { header, headerDaHeight, dataDaHeight } of verified.blocks) {
        if (!headerDaHeight || !dataDaHeight)
          this.pending.set(header.height, `${headerDaHeight} ${dataDaHeight}`);
      }
    }
    if (inclusion.length > 0) {
      events.push({ type: 'BlockInclusionObserved', observedAt, body: { ...chain, heights: inclusion } });
    }
    if (events.length > 0) this.append('blocks', events);
  }

  private findInclusion(t: number): [string, string | null, string | null][] {
    const found: [string, string | null, string | null][] = [];
    for (const [height, before] of this.pending) {
      const { headerDaHeight, dataDaHeight } = this.blockAt(height, t);
      const now = `${headerDaHeight} ${dataDaHeight}`;
      if (now === before) continue;
      found.push([String(height), headerDaHeight?.toString() ?? null, dataDaHeight?.toString() ?? null]);
      if (headerDaHeight && dataDaHeight) this.pending.delete(height);
      else this.pending.set(height, now);
    }
    return found;
  }

  private blockAt(height: bigint, t: number): DecodedBlock {
    const lines = this.recording.lines.get(`/evnode.v1.StoreService/GetBlock ${height}`) ?? [];
    const answer = lines.findLast((line) => line.t <= t && line.answer?.status === 200)?.answer;
    if (!answer) throw new Error(`block ${height} is not in the recording at ${t}`);
    let block = decoded.get(answer);
    if (!block) {
      const decoding = decodeBlock(JSON.parse(answer.body.toString()));
      if (!decoding.ok) throw new Error(`block ${height}: ${decoding.detail}`);
      block = decoding.block;
      decoded.set(answer, block);
    }
    return block;
  }

  private writeLooks(t: number, observedAt: number): void {
    this.watchedAt = t;
    const submissions = this.books.submissions.take();
    const blocks = this.books.blocks.take();
    const looks = { ...(submissions && { submissions }), ...(blocks && { blocks }) };
    this.append('node', [{ type: 'NodeWatched', observedAt, body: { looks } }]);
  }

  private append(subject: string, events: readonly NewEvent[]): void {
    appendTo(this.log, `${this.id}/${subject}`, events);
  }
}
