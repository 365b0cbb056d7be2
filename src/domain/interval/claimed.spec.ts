import { claimedIn, type ClaimedInterval } from './claimed.js';

const at = (second: number): bigint => BigInt(second) * 1_000_000n;

function interval(
  from: number,
  to: number | null,
  differedMs = 0,
  claim: string | null = 'healthy',
): ClaimedInterval {
  return { claim, fromUs: at(from), toUs: to === null ? null : at(to), differedMs };
}

describe('what a node claimed', () => {
  const stretch = { fromUs: at(100), toUs: at(200) };

  it('adds up the time in which a claim was false', () => {
    const intervals = [interval(100, 120, 5_000), interval(120, 150), interval(150, 200, 7_000)];
    expect(claimedIn(intervals, stretch)).toEqual([
      { claim: 'healthy', falseMinMs: 12_000, falseMaxMs: 12_000 },
    ]);
  });

  it('has bounds where the stretch cuts an interval', () => {
    // 60 s, of which 20 s lie outside: of 30 s at least 10 s were false inside, and at most all.
    expect(claimedIn([interval(80, 140, 30_000)], stretch)).toEqual([
      { claim: 'healthy', falseMinMs: 10_000, falseMaxMs: 30_000 },
    ]);
    expect(claimedIn([interval(190, 260, 70_000)], stretch)).toEqual([
      { claim: 'healthy', falseMinMs: 10_000, falseMaxMs: 10_000 },
    ]);
  });

  it('tells each claim once, and nothing where none was made or the stretch does not reach', () => {
    const intervals = [
      interval(0, 100, 9_000, 'warning'),
      interval(100, 110, 0, 'unhealthy'),
      interval(110, 130, 1_000, null),
      interval(130, null, 2_000),
      interval(200, null, 2_000, 'warning'),
    ];
    expect(claimedIn(intervals, stretch).map(({ claim }) => claim)).toEqual(['healthy', 'unhealthy']);
  });
});
