import { explainLoss, type LossFacts } from './loss-explanation.js';

const at = (text: string): bigint => BigInt(Date.parse(text)) * 1_000_000n;

const loss = (facts: Partial<LossFacts>): LossFacts => ({
  node: 'alpha',
  kind: 'OVERFLOW',
  afterSequence: 412n,
  minLost: 0n,
  maxLost: null,
  likelyLost: null,
  from: at('2026-11-21T03:12:04.120Z'),
  to: at('2026-11-21T03:12:34.480Z'),
  ...facts,
});

describe('the explanation of a loss', () => {
  it('says when a list overflowed, behind which row, and what is proven and guessed', () => {
    expect(explainLoss(loss({ minLost: 12n, likelyLost: 40n }))).toBe(
      'Between 2026-11-21 03:12:04.120 UTC and 2026-11-21 03:12:34.480 UTC (30.4 s) more rows entered the list of ' +
        'alpha than it holds, so some may have left it unseen after row 412. ' +
        'Proven by blocks: at least 12 rows were lost, and nothing proves an upper limit. ' +
        'From the rate around it, about 40 rows were lost: that is a guess.',
    );
  });

  it('says how long before a restart the last look was', () => {
    const text = explainLoss(
      loss({ kind: 'RESET', to: at('2026-11-21T05:22:04.120Z'), maxLost: 20n, minLost: 1n }),
    );
    expect(text).toContain('was empty or had begun anew, as after a restart or a change of leader');
    expect(text).toContain('our look before at 2026-11-21 03:12:04.120 UTC (2 h 10 min earlier)');
    expect(text).toContain('at least 1 row was lost, and more than 20 it cannot have been.');
    expect(text).not.toContain('guess');
  });

  it('does not claim that rows are missing where the overlap only fails to prove that none are', () => {
    const text = explainLoss(loss({ kind: 'AMBIGUOUS' }));
    expect(text).toContain('rows may be missing after row 412');
    expect(text).toContain('No lost row is proven so far, and nothing proves an upper limit.');
  });

  it('names no time before the first look, and no row', () => {
    expect(explainLoss(loss({ kind: 'BEFORE_START', from: null, afterSequence: 0n, likelyLost: 3n }))).toBe(
      'We first saw the list of alpha at 2026-11-21 03:12:34.480 UTC; rows that had left it by then were never seen. ' +
        'No lost row is proven so far, and nothing proves an upper limit. ' +
        'From the rate around it, about 3 rows were lost: that is a guess.',
    );
  });

  it('says that the bounds contradict each other, and raises none of them', () => {
    expect(explainLoss(loss({ minLost: 3n, maxLost: 1n }))).toMatch(
      /Contradiction: blocks prove that at least 3 rows were lost, and the list that at most 1 can have been\.$/,
    );
  });

  it('says a number that is proven from both sides as a fact, and leaves the guess out', () => {
    expect(explainLoss(loss({ minLost: 7n, maxLost: 7n, likelyLost: 9n }))).toMatch(
      /It is proven that 7 rows were lost\.$/,
    );
    expect(explainLoss(loss({ maxLost: 0n, likelyLost: 0n }))).toMatch(/It is proven that none was lost\.$/);
  });

  it.each([
    ['2026-11-21T03:12:05.120Z', '1 s'],
    ['2026-11-21T03:15:09.120Z', '3 min 5 s'],
    ['2026-11-21T04:12:04.120Z', '1 h'],
    ['2026-11-25T06:12:34.120Z', '4 d 3 h'],
  ])('gives the time until %s in two units at most', (to, duration) => {
    expect(explainLoss(loss({ to: at(to) }))).toContain(`(${duration})`);
  });
});
