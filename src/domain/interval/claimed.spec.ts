import { ClaimedTime, type Claimed, type ClaimedInterval } from './claimed.js';

const at = (second: number): bigint => BigInt(second) * 1_000_000n;

function interval(
  from: number,
  to: number | null,
  differedMs = 0,
  claim: string | null = 'healthy',
): ClaimedInterval {
  return { claim, fromUs: at(from), toUs: to === null ? null : at(to), differedMs };
}

const stretch = { fromUs: at(100), toUs: at(200) };

function claimedIn(ofNodes: Readonly<Record<string, readonly ClaimedInterval[]>>): Claimed[] {
  const claimed = new ClaimedTime(stretch);
  for (const [node, intervals] of Object.entries(ofNodes))
    for (const each of intervals) claimed.add(node, each);
  return claimed.finish();
}

const BY_ALPHA = { claim: 'healthy', nodes: ['alpha'] };

describe('the claims of a node', () => {
  it('add up the time in which a claim was false', () => {
    const intervals = [interval(100, 120, 5_000), interval(120, 150), interval(150, 200, 7_000)];
    expect(claimedIn({ alpha: intervals })).toEqual([
      { ...BY_ALPHA, falseMinMs: 12_000, falseMaxMs: 12_000 },
    ]);
  });

  it('have bounds if the range cuts an interval', () => {
    // 20 s of 60 s lie outside: at least 10 s and at most all of the 30 false seconds were inside.
    expect(claimedIn({ alpha: [interval(80, 140, 30_000)] })).toEqual([
      { ...BY_ALPHA, falseMinMs: 10_000, falseMaxMs: 30_000 },
    ]);
    expect(claimedIn({ alpha: [interval(190, 260, 70_000)] })).toEqual([
      { ...BY_ALPHA, falseMinMs: 10_000, falseMaxMs: 10_000 },
    ]);
  });

  it('include each claim once, and nothing without a claim or outside the range', () => {
    const intervals = [
      interval(0, 100, 9_000, 'warning'),
      interval(100, 110, 0, 'unhealthy'),
      interval(110, 130, 1_000, null),
      interval(130, null, 2_000),
      interval(200, null, 2_000, 'warning'),
    ];
    expect(claimedIn({ alpha: intervals }).map(({ claim }) => claim)).toEqual(['healthy', 'unhealthy']);
  });

  it('name the nodes of a claim, and bound it: two may have made it at once, or one after the other', () => {
    const beta = [interval(150, 200, 30_000), interval(100, 150, 0, 'warning')];
    expect(claimedIn({ beta, alpha: [interval(100, 200, 80_000)] })).toEqual([
      { claim: 'healthy', nodes: ['alpha', 'beta'], falseMinMs: 80_000, falseMaxMs: 100_000 },
      { claim: 'warning', nodes: ['beta'], falseMinMs: 0, falseMaxMs: 0 },
    ]);
  });
});
