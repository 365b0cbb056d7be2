import fc from 'fast-check';
import type { EventBodies, EventType, Polls, RecordedEvent, ProvenTime } from '../events.js';
import { millisToMicros } from '../time.js';
import { foldCoverage, NO_COVERAGE, type ListCoverage, type Stretch } from './list-coverage.js';
import { tries } from '../../../test/support/tries.js';

const START = 1_795_000_000_000;

class Log {
  readonly stretches = new Map<number, Stretch>();
  state: ListCoverage = NO_COVERAGE;
  private position = 0n;

  tell<T extends EventType>(type: T, at: number, body: EventBodies[T]): this {
    this.position += 1n;
    const observedAt = millisToMicros(START + at);
    const place = { position: this.position, stream: 'n/submissions', version: this.position, schema: 1 };
    const event = { ...place, type, observedAt, recordedAt: observedAt, body } as RecordedEvent;
    const { state, changed } = foldCoverage(this.state, event);
    // The state is stored as JSON.
    this.state = JSON.parse(JSON.stringify(state)) as ListCoverage;
    for (const stretch of changed) this.stretches.set(stretch.number, stretch);
    return this;
  }

  available(at: number): this {
    return this.tell('SubmissionSourceChanged', at, { state: 'AVAILABLE', detail: '', looks: old(at) });
  }

  watched(at: number, looks: Polls): this {
    return this.tell('NodeWatched', at, { looks: { submissions: looks } });
  }

  rows(at: number, source: number, given: { looks: Polls; overlap?: number; count?: number }): this {
    const { looks, overlap = 0, count = 1 } = given;
    const body = { looks, overlap, anchored: overlap > 0, source, ring: 0, newestFirst: true, ringSize: 100 };
    return this.tell('SubmissionsObserved', at, { ...body, firstSequence: 1, rows: Array(count).fill('{}') });
  }

  /** Each stretch with its proven time and the end of the unproven one; `…` while that is ongoing. */
  get lines(): string[] {
    return [...this.stretches.values()].map(
      ({ kind, list, from, to, until, isUnstated }) =>
        `${kind === 'LIST' ? list : kind === 'HOLE' ? `hole ${list}` : kind} ${from - START}-${to - START} ${until === null ? '…' : until - START}${isUnstated ? ' unstated' : ''}`,
    );
  }
}

/** Polls of an observer that did not distinguish lists. */
function old(last: number, first = last, count = 1): Polls {
  return { first: START + first, last: START + last, count, longestGapMs: 1_000 };
}

function seen(...lists: [list: number, since: number, last: number][]): Polls {
  const told: ProvenTime[] = lists.map(([list, since, last]) => ({
    list,
    since: START + since,
    last: START + last,
  }));
  return { ...old(Math.max(...told.map(({ last }) => last - START))), lists: told };
}

const hole = (from: number | null, to: number, source: number, looks: Polls) => ({
  looks,
  source,
  after: 0,
  from: from === null ? null : START + from,
  to: START + to,
  minLost: 0,
  maxLost: null,
  likelyLost: null,
});

describe('the coverage of a node', () => {
  it('continues with a list, and ends where another one begins', () => {
    const log = new Log()
      .tell('SubmissionHistoryMissing', 0, hole(null, 0, 0, seen([0, 0, 0])))
      .watched(60, seen([0, 0, 60]))
      .tell('SubmissionRingReset', 90, { ...hole(80, 90, 1, seen([0, 60, 80], [1, 90, 90])), ring: 1 })
      .watched(120, seen([1, 90, 120]));
    expect(log.lines).toEqual(['0 0-80 90', '1 90-120 … unstated', 'hole 0 80-80 90']);
  });

  it('includes, for a list that is seen again, all the time between', () => {
    const log = new Log()
      .watched(0, seen([0, 0, 0]))
      .watched(10, seen([1, 10, 10]))
      .watched(20, seen([0, 0, 20]));
    expect(log.lines).toEqual(['0 0-20 … unstated', '1 10-10 … unstated']);
  });

  it('breaks if a list is seen again and nothing proves what it held', () => {
    const log = new Log().watched(50, seen([0, 0, 50])).watched(90, seen([0, 80, 90]));
    expect(log.lines).toEqual(['0 0-50 80', '0 80-90 … unstated']);
  });

  it('has nothing to cover while the node says that it is no aggregator, and only then', () => {
    const say = (log: Log, at: number, state: 'NOT_AGGREGATOR' | 'UNREACHABLE') =>
      log.tell('SubmissionSourceChanged', at, { state, detail: '', looks: { ...old(at), lists: [] } });
    const log = new Log().watched(50, seen([0, 0, 50]));
    say(log, 60, 'NOT_AGGREGATOR').watched(100, { ...old(100), lists: [] });
    say(log, 110, 'UNREACHABLE');
    say(log, 200, 'NOT_AGGREGATOR').watched(250, { ...old(250), lists: [] });
    expect(log.lines).toEqual(['0 0-50 60 unstated', 'NOT_AGGREGATOR 60-250 …']);
    log.watched(300, seen([0, 50, 300]));
    expect(log.lines).toEqual(['0 0-50 60 unstated', 'NOT_AGGREGATOR 60-250 250', '0 250-300 … unstated']);
  });

  it('includes a node that answers without a list, and no node that was never reached', () => {
    const log = new Log().tell('SubmissionSourceChanged', 5, { state: 'UNREACHABLE', detail: '' });
    expect(log.lines).toEqual([]);
    log.tell('SubmissionSourceChanged', 10, { state: 'DISABLED', detail: '' });
    expect(log.lines).toEqual(['UNSEEN 10-10 …']);
    expect(log.watched(40, seen([0, 40, 40])).lines).toEqual(['UNSEEN 10-10 40', '0 40-40 … unstated']);
  });

  it('ends with the retirement of the node, and its list stays unstated', () => {
    const log = new Log().watched(50, seen([0, 0, 50])).tell('NodeRetired', 80, {});
    expect(log.lines).toEqual(['0 0-50 80 unstated']);
    expect(log.watched(200, seen([0, 50, 200])).lines).toEqual(['0 0-50 80 unstated', '0 50-200 … unstated']);
  });

  it('is based, in logs that do not distinguish lists, on polls with rows, and never on an empty list', () => {
    const log = new Log()
      .available(0)
      .tell('SubmissionHistoryMissing', 0, hole(null, 0, 0, old(0)))
      .watched(60, old(60, 1, 60))
      .rows(70, 0, { looks: old(70, 61, 10) })
      .watched(130, old(130, 71, 60))
      .rows(140, 0, { looks: old(140, 131, 10), overlap: 1 });
    expect(log.lines).toEqual(['0 0-0 70', '0 70-140 … unstated']);
  });

  it('lies outside of every gap, in order, whatever is recorded', () => {
    const at = fc.nat(1_000);
    const stretch = fc
      .tuple(fc.nat(3), at, at)
      .map(([list, a, b]): [number, number, number] => [list, Math.min(a, b), b]);
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('watched' as const),
        lists: fc.array(stretch, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('hole' as const), from: at, to: at, list: fc.nat(3) }),
      fc.record({ kind: fc.constant('old' as const), at, list: fc.nat(3), overlap: fc.nat(1) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const log = new Log().available(0);
        for (const told of steps) {
          if (told.kind === 'watched') log.watched(1_000, seen(...told.lists));
          else if (told.kind === 'old')
            log.rows(told.at, told.list, { looks: old(told.at), overlap: told.overlap });
          else
            log.tell(
              'SubmissionWindowLost',
              told.to,
              hole(told.from, told.to, told.list, seen([told.list, told.to, told.to])),
            );
        }
        const all = [...log.stretches.values()];
        for (const { from, to, until } of all) {
          expect(from).toBeLessThanOrEqual(to);
          expect(until ?? Infinity).toBeGreaterThanOrEqual(to);
        }
        for (const told of steps) {
          if (told.kind !== 'hole' || told.from >= told.to) continue;
          const isLeftOut = all.some(
            ({ to, until }) => to - START <= told.from && (until ?? Infinity) - START >= told.to,
          );
          expect(isLeftOut).toBe(true);
        }
      }),
      tries(100),
    );
  });
});
