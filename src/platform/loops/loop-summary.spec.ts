import type { LoopView } from './loop.js';
import { MOST_LISTED, summariseLoops } from './loop-summary.js';

const NOW = 1_000_000_000;

const view = (name: string, changes: Partial<LoopView> = {}): LoopView => ({
  name,
  at: NOW,
  state: 'asleep',
  since: NOW - 2_000,
  last: { at: NOW - 2_000 },
  nextAt: NOW + 3_500,
  ...changes,
});

const KINDS = ['submissions', 'blocks', 'probes', 'claims', 'description', 'watch'];

const views = (nodes: number): LoopView[] =>
  Array.from({ length: nodes }, (_, index) => KINDS.map((kind) => view(`node-${index}/${kind}`))).flat();

describe('a summary of loops', () => {
  it('lists a few loops by name, each with its work, the result of its last iteration and the next due time', () => {
    const summary = summariseLoops([
      view('projections', { state: 'working', since: NOW - 150, nextAt: undefined, last: undefined }),
      view('alpha/blocks', { last: { at: NOW - 2_000, error: 'the database is away' } }),
    ]);
    expect(summary.listed).toEqual([
      {
        name: 'alpha/blocks',
        state: 'asleep',
        stateSeconds: 2,
        lastSeconds: 2,
        error: 'the database is away',
        nextSeconds: 3.5,
        late: false,
      },
      { name: 'projections', state: 'working', stateSeconds: 0.2, late: false },
    ]);
    expect(summary).toMatchObject({ total: 2, unlisted: 0 });
  });

  it('counts loops by their work', () => {
    const { kinds } = summariseLoops([
      view('alpha/blocks', { nextAt: NOW + 200, last: { at: NOW - 9_000 } }),
      view('a/b/blocks', { state: 'working', nextAt: undefined, last: { at: NOW - 4_000, error: 'no' } }),
      view('projections', { last: undefined, nextAt: NOW - 60_000 }),
    ]);
    expect(kinds).toEqual([
      {
        kind: 'blocks',
        loops: 2,
        asleep: 1,
        working: 1,
        failing: 1,
        late: 0,
        lastSeconds: 4,
        nextSeconds: 0.2,
      },
      { kind: 'projections', loops: 1, asleep: 1, working: 0, failing: 0, late: 1, nextSeconds: -60 },
    ]);
  });

  it.each<[string, Partial<LoopView>, boolean]>([
    ['a turn that is due soon', { nextAt: NOW - 59_000 }, false],
    ['a turn that is overdue', { nextAt: NOW - 60_000 }, true],
    ['a turn that takes its time', { state: 'working', since: NOW - 59_000, nextAt: undefined }, false],
    ['a turn that hangs', { state: 'working', since: NOW - 60_000, nextAt: undefined }, true],
    ['a long sleep', { since: NOW - 3_600_000 }, false],
  ])('includes %s', (_, changes, late) => {
    expect(summariseLoops([view('alpha/blocks', changes)]).listed[0]?.late).toBe(late);
  });

  it('of six thousand loops names the twenty that fail or are late for the longest, and counts the others', () => {
    const many = views(1_000);
    const error = 'the database is away';
    for (let index = 0; index < 30; index += 1) {
      const since = NOW - index * 1_000;
      many[index * 100] = view(`down-${index}/blocks`, { since, last: { at: since, error } });
    }
    const summary = summariseLoops(many);
    expect(summary).toMatchObject({ total: 6_000, unlisted: 10 });
    expect(summary.kinds.map(({ loops }) => loops).reduce((a, b) => a + b)).toBe(6_000);
    expect(summary.kinds.find(({ kind }) => kind === 'blocks')).toMatchObject({ failing: 30 });
    expect(summary.listed.map(({ name }) => name)).toEqual(
      Array.from({ length: MOST_LISTED }, (_, index) => `down-${29 - index}/blocks`),
    );
    expect(JSON.stringify(summary).length).toBeLessThan(10_000);
  });

  it('of many healthy loops names none', () => {
    const { total, kinds, listed } = summariseLoops(views(4));
    expect({ total, kinds: kinds.length, listed }).toEqual({ total: 24, kinds: KINDS.length, listed: [] });
  });
});
