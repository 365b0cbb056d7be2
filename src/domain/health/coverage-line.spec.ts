import fc from 'fast-check';
import { findMissed } from './coverage-line.js';
import { foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';
import { tries } from '../../../test/support/tries.js';
import type { RecordedEvent } from '../events.js';
import { WRITTEN_WITHIN_MS } from './unwatched.js';

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

  it('reports nothing while polls arrive', () => {
    expect(lineOf(registered, watched(1, 40), watched(42, 80))).toEqual([]);
  });

  it('has an unmonitored time from the last poll to the next', () => {
    expect(lineOf(registered, watched(1, 40), watched(140, 180))).toEqual([
      [40, 140, 'WARNING', 'unwatched'],
      [140, null, 'HEALTHY', 'covered'],
    ]);
  });

  it('has no unmonitored time if the polls are close enough', () => {
    expect(lineOf(registered, watched(1, 40), watched(70, 100))).toEqual([]);
  });

  it('has a gap in the list, which takes precedence over unmonitored time', () => {
    expect(lineOf(registered, watched(1, 40), lost('SubmissionWindowLost', 40, 140, 3, 9))).toEqual([
      [40, 140, 'WARNING', 'rows-missed'],
      [140, null, 'HEALTHY', 'covered'],
    ]);
  });

  it.each(['SubmissionRingReset', 'SubmissionOverlapAmbiguous'])('has a gap of each kind: %s', (type) => {
    expect(lineOf(registered, watched(1, 40), lost(type, 40, 42, 1, null))[0]).toEqual([
      40,
      42,
      'WARNING',
      'rows-missed',
    ]);
  });

  it('has no short gap without a row that is proven to be missing, as after a restart', () => {
    const gap = (to: number, minLost: number) => lost('SubmissionRingReset', 40, to, minLost, null);
    expect(lineOf(registered, watched(1, 40), gap(70, 0))).toEqual([]);
    expect(lineOf(registered, watched(1, 40), gap(70, 1))).toHaveLength(2);
    expect(lineOf(registered, watched(1, 40), gap(70.001, 0))).toHaveLength(2);
  });

  it('has no gap if it is proven that no row is missing, or before the first poll', () => {
    const none = lost('SubmissionRingReset', 40, 42, 0, 0);
    expect(lineOf(registered, watched(1, 40), none)).toEqual([]);
    expect(lineOf(registered, lost('SubmissionHistoryMissing', null, 1, 0, null))).toEqual([]);
  });

  it('joins gaps that touch, and leaves earlier ones as they were', () => {
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
    'has nothing to miss for a node without a list: %s',
    (none) => {
      const source = (state: string, second: number) =>
        [
          'SubmissionSourceChanged',
          second,
          { looks: looks(second, second, 1, 0), state, detail: '' },
        ] as const;
      const without = [registered, source(none, 1), watched(2, 40)] as const;
      expect(lineOf(...without, watched(140, 180))).toEqual([]);
      // The node may have had a list in between.
      expect(lineOf(...without, source('AVAILABLE', 140))).toEqual([
        [40, 140, 'WARNING', 'unwatched'],
        [140, null, 'HEALTHY', 'covered'],
      ]);
      // It is unknown whether there is a list.
      expect(lineOf(registered, source('UNREACHABLE', 1), watched(2, 40), watched(140, 180))).toHaveLength(2);
    },
  );

  it('does not count while the node is out of the settings', () => {
    const retired = ['NodeRetired', 60, {}] as const;
    expect(lineOf(registered, watched(1, 40), retired, watched(400, 440))).toEqual([]);
    expect(lineOf(registered, watched(1, 40), retired, watched(400, 440), watched(600, 640))).toEqual([
      [440, 600, 'WARNING', 'unwatched'],
      [600, null, 'HEALTHY', 'covered'],
    ]);
  });
});

/** A quiet aggregator that is polled every second, and an observer that is killed. Times are in seconds. */
interface Absence {
  /** The last poll before the kill, and how long no poll was made. */
  readonly killedAt: number;
  readonly length: number;
  /** How often quiet polls of the list, and polls of the blocks, are recorded. */
  readonly listEvery: number;
  readonly blocksEvery: number;
  /** How much later the list and the blocks are first polled when the observer is back. */
  readonly listLater: number;
  readonly blocksLater: number;
}

/** The times in which our coverage says that the list was not polled, and the last recorded poll before them. */
function playAbsence({ killedAt, length, listEvery, blocksEvery, listLater, blocksLater }: Absence) {
  const story = new HealthStory().probe(0.5, 'reachable', 'OK', 200).rows(1, '.');
  let knownAt = 1;
  for (let at = 2; at <= killedAt; at += 1) {
    if (at % blocksEvery === 0) story.blocks(at, at, at - 1);
    if (at % listEvery === 1) story.quiet('submissions', at - Math.min(listEvery, at - 1), at);
    if (at % blocksEvery === 0 || at % listEvery === 1) knownAt = at;
  }
  const backAt = killedAt + length;
  for (let at = backAt; at <= backAt + 120; at += 1) {
    if (at === backAt + listLater) story.quiet('submissions', at - 1, at);
    else if (at > backAt + listLater && at % 20 === 0) story.quiet('submissions', at - 20, at);
    if (at >= backAt + blocksLater && at % 2 === 0) story.blocks(at, at, at - 1);
  }
  const { COVERAGE } = foldHistory(story.events).intervals;
  const told = COVERAGE.filter(({ rule }) => rule === 'unwatched').map(({ from, to }) => ({
    from: (from - story.startMs) / 1_000,
    to: ((to ?? Infinity) - story.startMs) / 1_000,
  }));
  return { told, knownAt, polledAt: backAt + listLater };
}

describe('an absence of Hindsight, in our coverage of a quiet node', () => {
  const absence = fc.record({
    killedAt: fc.integer({ min: 70, max: 200 }),
    length: fc.integer({ min: 1, max: 300 }),
    listEvery: fc.integer({ min: 10, max: 60 }),
    blocksEvery: fc.integer({ min: 1, max: 29 }),
    listLater: fc.integer({ min: 0, max: 4 }),
    blocksLater: fc.integer({ min: 0, max: 4 }),
  });

  it('is not reported if it was short', () => {
    const quiet = { killedAt: 107, listEvery: 60, blocksEvery: 2, listLater: 0, blocksLater: 1 };
    expect(playAbsence({ ...quiet, length: 9 }).told).toEqual([]);
    expect(playAbsence({ ...quiet, length: 9, listLater: 2 }).told).toEqual([]);
    expect(playAbsence({ ...quiet, length: 50 }).told).toEqual([{ from: 106, to: 157 }]);
  });

  it('is reported completely if it was long, and never as more than the time without records', () => {
    fc.assert(
      fc.property(absence, (played) => {
        const { told, knownAt, polledAt } = playAbsence(played);
        const { killedAt, length, listLater, blocksLater } = played;
        if (length + Math.min(listLater, blocksLater) > 30) {
          expect(told).toHaveLength(1);
          expect(told[0]?.from).toBeLessThanOrEqual(killedAt);
          expect(told[0]?.to).toBe(polledAt);
        }
        for (const { from, to } of told) {
          expect(from).toBeGreaterThanOrEqual(Math.min(knownAt, killedAt));
          expect(killedAt - from).toBeLessThanOrEqual(WRITTEN_WITHIN_MS / 1_000);
          expect(to).toBeLessThanOrEqual(polledAt);
        }
      }),
      tries(150),
    );
  });
});

describe('the text of a gap', () => {
  const gap = { from: 0, to: 254_000 };
  const fact = { ...gap, looks: looks(0, 0), source: 1, after: 0, likelyLost: null };

  it.each([
    [0, null, 'Not polled for 4 min 14 s: an unknown number of submissions may be missing.'],
    [0, 7, 'Not polled for 4 min 14 s: up to 7 submissions may be missing.'],
    [1, 1, 'Not polled for 4 min 14 s: 1 submission is missing.'],
    [2, 7, 'Not polled for 4 min 14 s: 2 to 7 submissions are missing.'],
    [2, null, 'Not polled for 4 min 14 s: at least 2 submissions are missing.'],
  ])('states the proven loss, from %s to %s rows', (minLost, maxLost, reason) => {
    expect(findMissed({ ...fact, minLost, maxLost }, gap)?.reason).toBe(reason);
  });
});
