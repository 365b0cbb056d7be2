import type { RecordedEvent } from '../../domain/events.js';
import {
  applyVerdict,
  initialRing,
  saveRing,
  type KnownRing,
  type RingScalars,
} from '../../domain/submissions/known-ring.js';
import { reconcile } from '../../domain/submissions/reconcile-window.js';
import { loadRing, type ListEnds } from './ring-memory.js';

/** A stream with one event for each answer that showed something new, and the state after each. */
class Stream {
  ring: KnownRing = initialRing();
  ends: Record<string, string> = {};
  /** The most events and characters of rows read at once, and the number of events read in all. */
  readonly read = { atOnce: 0, heaviest: 0, events: 0 };
  private readonly events: RecordedEvent[] = [];

  poll(rows: readonly string[]): void {
    const verdict = reconcile(this.ring, { rows: rows.toReversed(), complete: true });
    if (!('fresh' in verdict)) throw new Error(verdict.kind);
    const version = BigInt(this.events.length + 1);
    const { source, overlap, fresh } = verdict;
    const body = { source, overlap, rows: fresh };
    this.events.push({ type: 'SubmissionsObserved', version, body } as unknown as RecordedEvent);
    this.ring = applyVerdict(this.ring, verdict);
    this.ends[source] = String(version);
  }

  /** The state in the previous version's form. */
  oldState(): RingScalars {
    const saved = saveRing(this.ring);
    return { ...saved, windows: saved.windows.map(({ source, ring, length }) => ({ source, ring, length })) };
  }

  async load(scalars: RingScalars, ends?: ListEnds): Promise<KnownRing> {
    Object.assign(this.read, { atOnce: 0, heaviest: 0, events: 0 });
    const ring = await loadRing(
      {
        readStreamBack: (_stream, _types, limit, before) => {
          const end = before === undefined ? this.events.length : Number(before) - 1;
          const page = this.events.slice(Math.max(0, end - limit), end).reverse();
          const size = JSON.stringify(page.map(({ body }) => body)).length;
          this.read.heaviest = Math.max(this.read.heaviest, size);
          this.read.atOnce = Math.max(this.read.atOnce, page.length);
          this.read.events += page.length;
          return Promise.resolve(page);
        },
      },
      'n/submissions',
      scalars,
      ends,
    );
    return ring;
  }
}

function row(place: number, noise = ''): string {
  const at = new Date(1_795_000_000_000 + place * 1_000).toISOString().slice(0, 19);
  return JSON.stringify({ id: `submission_${place}`, timestamp: `${at}.123456789Z`, message: noise });
}

/** Polls a ring of 100 `polls` times, starting at row `from`; two rows enter between polls. */
function watch(stream: Stream, from: number, polls: number): number {
  let end = from;
  for (let poll = 0; poll < polls; poll += 1) {
    end += 2;
    const length = Math.min(100, end - from);
    stream.poll(Array.from({ length }, (_, index) => row(end - length + index)));
  }
  return end;
}

describe('the part of a ring that is read back', () => {
  it('is as much as is compared, even if a list before a restart of the node had few rows', async () => {
    const stream = new Stream();
    const end = watch(stream, 0, 6);
    watch(stream, end + 100, 2_000);
    expect(stream.ring.windows.map(({ rows }) => rows.length)).toEqual([100, 12]);
    expect(await stream.load(saveRing(stream.ring), stream.ends)).toEqual(stream.ring);
    expect(stream.read.events).toBeLessThan(700);
  });

  it('skips rows recorded since a list fell silent', async () => {
    const stream = new Stream();
    const end = watch(stream, 0, 300);
    watch(stream, end + 100, 3_000);
    const { windows } = stream.ring;
    expect(windows.map(({ rows }) => rows.length)).toEqual([100, 100]);
    const loaded = await stream.load(saveRing(stream.ring), stream.ends);
    expect(loaded.windows).toEqual(windows);
    expect(loaded.recent.slice(-1_000)).toEqual(stream.ring.recent);
    expect(stream.read.events).toBeLessThan(1_000);
  });

  it('is found where the previous version left the state', async () => {
    const stream = new Stream();
    const end = watch(stream, 0, 6);
    watch(stream, end + 100, 1_000);
    expect(await stream.load(stream.oldState())).toEqual(stream.ring);
  });

  it('is read in small pages if the rows are large, and kept small', async () => {
    const stream = new Stream();
    for (let place = 0; place < 60; place += 1) stream.poll([row(place, String(place).repeat(200_000))]);
    const loaded = await stream.load(saveRing(stream.ring), stream.ends);
    expect(stream.read.heaviest).toBeLessThan(6_000_000);
    expect(JSON.stringify(loaded).length).toBeLessThan(100_000);
  });
});
