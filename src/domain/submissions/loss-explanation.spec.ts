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
  it('reports when a list overflowed, after which row, and the proven and estimated numbers', () => {
    expect(explainLoss(loss({ minLost: 12n, likelyLost: 40n }))).toBe(
      'Between 2026-11-21 03:12:04.120 UTC and 2026-11-21 03:12:34.480 UTC (30.4 s) more submissions entered the list of ' +
        'alpha than it holds: some may be missing after row 412. ' +
        'Blocks prove that at least 12 submissions are missing, and there is no upper bound. ' +
        'Estimated from the rate around the gap: 40 submissions are missing.',
    );
  });

  it('reports how long before a restart the previous poll was', () => {
    const text = explainLoss(
      loss({ kind: 'RESET', to: at('2026-11-21T05:22:04.120Z'), maxLost: 20n, minLost: 1n }),
    );
    expect(text).toContain('was empty or had started over, as after a restart or a change of leader');
    expect(text).toContain('after the previous poll at 2026-11-21 03:12:04.120 UTC (2 h 10 min earlier)');
    expect(text).toContain('at least 1 submission is missing, at most 20.');
    expect(text).not.toContain('Estimated');
  });

  it('does not report rows as missing if the overlap only fails to prove that no row is', () => {
    const text = explainLoss(loss({ kind: 'AMBIGUOUS' }));
    expect(text).toContain('some may be missing after row 412');
    expect(text).toContain('No missing submission is proven so far, and there is no upper bound.');
  });

  it('names no time before the first poll, and no row', () => {
    expect(explainLoss(loss({ kind: 'BEFORE_START', from: null, afterSequence: 0n, likelyLost: 3n }))).toBe(
      'The list of alpha was first polled at 2026-11-21 03:12:34.480 UTC: submissions that had left it before are not on record. ' +
        'No missing submission is proven so far, and there is no upper bound. ' +
        'Estimated from the rate around the gap: 3 submissions are missing.',
    );
  });

  it('reports that the bounds contradict each other, and raises neither', () => {
    expect(explainLoss(loss({ minLost: 3n, maxLost: 1n }))).toMatch(
      /Contradiction: blocks prove that at least 3 submissions are missing, but the list allows at most 1\.$/,
    );
  });

  it('reports a number that is proven from both sides as a fact, and leaves the estimate out', () => {
    expect(explainLoss(loss({ minLost: 7n, maxLost: 7n, likelyLost: 9n }))).toMatch(
      /Proven: 7 submissions are missing\.$/,
    );
    expect(explainLoss(loss({ maxLost: 0n, likelyLost: 0n }))).toMatch(/Proven: none is missing\.$/);
  });

  it.each([
    ['2026-11-21T03:12:05.120Z', '1 s'],
    ['2026-11-21T03:15:09.120Z', '3 min 5 s'],
    ['2026-11-21T04:12:04.120Z', '1 h'],
    ['2026-11-25T06:12:34.120Z', '4 d 3 h'],
  ])('prints the time until %s in two units at most', (to, duration) => {
    expect(explainLoss(loss({ to: at(to) }))).toContain(`(${duration})`);
  });
});
