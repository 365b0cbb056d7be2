import type { RecordedEvent } from '../events.js';
import { foldHistory } from '../../../test/support/health-history.js';

const START = 1_790_000_000_000;
const at = (second: number): number => START + second * 1_000;

const looks = (first: number, last: number, count = 2, gap = last - first) => ({
  first: at(first),
  last: at(last),
  count,
  longestGapMs: gap * 1_000,
});

type Told = readonly [type: string, second: number, body: object];

/** Events of a node in the order of the log; each is recorded when it was observed. */
function logOf(events: readonly Told[]): RecordedEvent[] {
  return events.map(([type, second, body], index) => {
    const us = BigInt(at(second)) * 1_000n;
    const place = {
      position: BigInt(index + 1),
      stream: 'alpha/submissions',
      version: BigInt(index + 1),
      schema: 1,
    };
    return { ...place, type, body, observedAt: us, recordedAt: us } as unknown as RecordedEvent;
  });
}

const watched = (first: number, last: number) =>
  ['NodeWatched', last, { looks: { submissions: looks(first, last, 20, 2) } }] as const;
const lost = (type: string, from: number | null, to: number, minLost: number, maxLost: number | null) =>
  [
    type,
    to,
    {
      looks: looks(to, to, 1, 0),
      source: 0,
      after: 1,
      from: from === null ? null : at(from),
      to: at(to),
      minLost,
      maxLost,
      likelyLost: null,
      ring: 1,
      overlap: 0,
    },
  ] as const;

/** Seconds, state and rule of each interval of our coverage. */
const lineOf = (...events: readonly Told[]): unknown[] =>
  foldHistory(logOf(events)).intervals.COVERAGE.map(({ from, to, state, rule }) => [
    (from - START) / 1_000,
    to === null ? null : (to - START) / 1_000,
    state,
    rule,
  ]);

describe('our own coverage of a node', () => {
  const registered = ['NodeRegistered', 0, { chain: 'lab-1', url: 'http://alpha' }] as const;

  it('is nothing to tell of while somebody looks', () => {
    expect(lineOf(registered, watched(1, 40), watched(42, 80))).toEqual([]);
  });

  it('has a time in which nobody looked, from the last look to the next', () => {
    expect(lineOf(registered, watched(1, 40), watched(140, 180))).toEqual([
      [40, 140, 'WARNING', 'unwatched'],
      [140, null, 'HEALTHY', 'covered'],
    ]);
  });

  it('has none where the looks are no further apart than they may be', () => {
    expect(lineOf(registered, watched(1, 40), watched(70, 100))).toEqual([]);
  });

  it('has a hole in the list, which says more than that nobody looked', () => {
    expect(lineOf(registered, watched(1, 40), lost('SubmissionWindowLost', 40, 140, 3, 9))).toEqual([
      [40, 140, 'WARNING', 'rows-missed'],
      [140, null, 'HEALTHY', 'covered'],
    ]);
  });

  it.each(['SubmissionRingReset', 'SubmissionOverlapAmbiguous'])('has a hole of each kind: %s', (type) => {
    expect(lineOf(registered, watched(1, 40), lost(type, 40, 42, 1, null))[0]).toEqual([
      40,
      42,
      'WARNING',
      'rows-missed',
    ]);
  });

  it('has no short hole in which no row is proven to be missing, as after a restart', () => {
    const hole = (to: number, minLost: number) => lost('SubmissionRingReset', 40, to, minLost, null);
    expect(lineOf(registered, watched(1, 40), hole(70, 0))).toEqual([]);
    expect(lineOf(registered, watched(1, 40), hole(70, 1))).toHaveLength(2);
    expect(lineOf(registered, watched(1, 40), hole(70.001, 0))).toHaveLength(2);
  });

  it('has no hole where it is proven that no row is missing, or before the first look', () => {
    const none = lost('SubmissionRingReset', 40, 42, 0, 0);
    expect(lineOf(registered, watched(1, 40), none)).toEqual([]);
    expect(lineOf(registered, lost('SubmissionHistoryMissing', null, 1, 0, null))).toEqual([]);
  });

  it('joins holes that touch, and leaves what was told before as it was', () => {
    const [one, other] = [
      lost('SubmissionWindowLost', 40, 42, 1, 1),
      lost('SubmissionWindowLost', 42, 44, 1, 1),
    ];
    expect(lineOf(registered, watched(1, 40), one, other)).toEqual([
      [40, 44, 'WARNING', 'rows-missed'],
      [44, null, 'HEALTHY', 'covered'],
    ]);
    const older = lost('SubmissionWindowLost', 10, 60, 1, 1);
    expect(lineOf(registered, watched(1, 40), one, watched(44, 58), older)).toEqual([
      [40, 60, 'WARNING', 'rows-missed'],
      [60, null, 'HEALTHY', 'covered'],
    ]);
  });

  it.each(['NOT_AGGREGATOR', 'DISABLED', 'NOT_SUPPORTED'])(
    'has nothing to miss of a node without a list: %s',
    (none) => {
      const source = (state: string, second: number) =>
        [
          'SubmissionSourceChanged',
          second,
          { looks: looks(second, second, 1, 0), state, detail: '' },
        ] as const;
      const without = [registered, source(none, 1), watched(2, 40)] as const;
      expect(lineOf(...without, watched(140, 180))).toEqual([]);
      // It may have had one meanwhile.
      expect(lineOf(...without, source('AVAILABLE', 140))).toEqual([
        [40, 140, 'WARNING', 'unwatched'],
        [140, null, 'HEALTHY', 'covered'],
      ]);
      // Whether there is a list is not known.
      expect(lineOf(registered, source('UNREACHABLE', 1), watched(2, 40), watched(140, 180))).toHaveLength(2);
    },
  );

  it('is not asked for while the node is out of the settings', () => {
    const retired = ['NodeRetired', 60, {}] as const;
    expect(lineOf(registered, watched(1, 40), retired, watched(400, 440))).toEqual([]);
    expect(lineOf(registered, watched(1, 40), retired, watched(400, 440), watched(600, 640))).toEqual([
      [440, 600, 'WARNING', 'unwatched'],
      [600, null, 'HEALTHY', 'covered'],
    ]);
  });
});
