import type { RecordedEvent, SourceState } from '../../src/domain/events.js';
import { PollBook } from '../../src/observe/poll-book.js';

const START_MS = Date.UTC(2026, 10, 21, 3, 0, 0);
const SECOND_MS = 1_000;

/** The history of a node and of the clocks. Times are seconds since the start. */
export interface SteppedWorld {
  readonly lasts: number;
  /** Errors of the observer's clock, in seconds, each from a time on. */
  readonly steps: readonly { readonly at: number; readonly offBy: number }[];
  /** Whether the database uses the same clock. */
  readonly isShared: boolean;
  /** Times in which the node did not answer. */
  readonly down: readonly (readonly [number, number])[];
}

/** The log of a steady node, as observers without their own time wrote it; `seconds` has the true time of each event. */
export interface SteppedLog {
  readonly startMs: number;
  readonly events: RecordedEvent[];
  readonly seconds: number[];
}

/** Builds the log second by second: the observations of the node, and their dates. */
export function tellStepped(world: SteppedWorld): SteppedLog {
  const telling = new Telling(world);
  for (let second = 0; second <= world.lasts; second += 1) telling.tell(second);
  return { startMs: START_MS, events: telling.events, seconds: telling.seconds };
}

class Telling {
  readonly events: RecordedEvent[] = [];
  readonly seconds: number[] = [];
  private readonly books = { submissions: new PollBook(), blocks: new PollBook(), probes: new PollBook() };
  private second = 0;
  private recordedMs = 0;
  private height = 0;
  private source: SourceState | undefined;
  private reach: string | undefined;
  private rows = 0;

  constructor(private readonly world: SteppedWorld) {}

  tell(second: number): void {
    this.second = second;
    if (second === 0) this.append('node', 'NodeRegistered', { url: 'http://told' });
    const isDown = this.world.down.some(([from, to]) => second >= from && second < to);
    if (second % 2 === 0) this.lookAtList(isDown);
    if (second % 5 === 0 && !isDown) this.lookAtBlocks();
    if (second % (isDown ? 1 : 5) === 0) this.probe(isDown);
    if (second % 10 === 9) this.watch();
  }

  private lookAtList(isDown: boolean): void {
    const book = this.books.submissions;
    const source = isDown ? 'UNREACHABLE' : 'AVAILABLE';
    book.note(this.now, undefined, isDown);
    if (source !== this.source) {
      this.source = source;
      this.append('submissions', 'SubmissionSourceChanged', {
        looks: book.take(),
        state: source,
        detail: '',
      });
    }
    if (isDown || this.second % 4 !== 0) return;
    const looks = book.take() ?? { first: this.now, last: this.now, count: 0, longestGapMs: 0 };
    const isFirst = this.rows === 0;
    const list = { source: 0, overlap: isFirst ? 0 : 1, anchored: !isFirst, firstSequence: (this.rows += 1) };
    this.append('submissions', 'SubmissionsObserved', { looks, ...list, rows: ['{"status":"Success"}'] });
  }

  private lookAtBlocks(): void {
    this.books.blocks.note(this.now);
    this.height += 5;
    const { height } = this;
    const chain = { chain: 'told', lineage: 1 };
    const blocks = { from: String(height - 4), to: String(height), count: 5, txCounts: 1 };
    this.append('blocks', 'BlocksObserved', { looks: this.books.blocks.take(), ...chain, ...blocks });
    const heights = [4, 3, 2, 1, 0].map((back) => [String(height - back), '1', '1']);
    this.append('blocks', 'BlockInclusionObserved', { ...chain, heights });
  }

  private probe(isDown: boolean): void {
    const book = this.books.probes;
    book.note(this.now);
    const outcome = isDown ? 'REFUSED' : 'OK';
    if (outcome !== this.reach) {
      this.reach = outcome;
      const answer = { probe: 'reachable', outcome, statusCode: null, detail: '', latencyMs: 1 };
      this.append('probes', 'ProbeChanged', { looks: book.take(), ...answer });
    } else if (this.second % 60 === 0) {
      const minute = { from: this.now - 60_000, to: this.now, probes: {} };
      this.append('probes', 'ProbesSummarised', { looks: book.take(), ...minute });
    }
  }

  private watch(): void {
    const looks = Object.entries(this.books).flatMap(([subject, book]) => {
      const made = book.take();
      return made ? [[subject, made] as const] : [];
    });
    if (looks.length === 0) return;
    const observedAt = Math.max(...looks.map(([, { last }]) => last));
    this.append('node', 'NodeWatched', { looks: Object.fromEntries(looks) }, observedAt);
  }

  private append(subject: string, type: string, body: object, observedAt = this.now): void {
    const databaseMs = this.world.isShared ? this.now : START_MS + this.second * SECOND_MS;
    this.recordedMs = Math.max(this.recordedMs, databaseMs + 3);
    const position = BigInt(this.events.length + 1);
    const times = { observedAt: BigInt(observedAt) * 1000n, recordedAt: BigInt(this.recordedMs) * 1000n };
    const head = { position, stream: `told/${subject}`, version: position, schema: 1, ...times };
    this.events.push({ ...head, type, body } as unknown as RecordedEvent);
    this.seconds.push(this.second);
  }

  /** The observer's clock. */
  private get now(): number {
    const step = this.world.steps.findLast(({ at }) => at <= this.second);
    return START_MS + (this.second + (step?.offBy ?? 0)) * SECOND_MS;
  }
}
