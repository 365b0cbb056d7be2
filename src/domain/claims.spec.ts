import { isNewClaim, summariseClaim } from './claims.js';

const HEALTHY = { status: 'healthy', issues: null, metrics: { total_submissions: 5 }, timestamp: 'a' };

function isNews(before: Record<string, unknown>, after: Record<string, unknown>, afterMs: number): boolean {
  return isNewClaim(summariseClaim(before, 1_000), summariseClaim(after, 1_000 + afterMs));
}

describe('isNewClaim', () => {
  it('accepts the first claim', () => {
    expect(isNewClaim(undefined, summariseClaim(HEALTHY, 0))).toBe(true);
  });

  it('rejects a claim in which only the timestamp moved, or the order of members', () => {
    expect(isNews(HEALTHY, { ...HEALTHY, timestamp: 'b' }, 3_600_000)).toBe(false);
    const turned = Object.fromEntries(Object.entries(HEALTHY).reverse());
    expect(isNews(HEALTHY, turned, 3_600_000)).toBe(false);
  });

  it('accepts a change of status or issues at once', () => {
    expect(isNews(HEALTHY, { ...HEALTHY, status: 'degraded' }, 1)).toBe(true);
    expect(isNews(HEALTHY, { ...HEALTHY, issues: ['High error rate: 50.0%'] }, 1)).toBe(true);
  });

  it('accepts any other change once a minute', () => {
    const counted = { ...HEALTHY, metrics: { total_submissions: 6 } };
    expect(isNews(HEALTHY, counted, 59_999)).toBe(false);
    expect(isNews(HEALTHY, counted, 60_000)).toBe(true);
  });

  it('accepts any other change if the clock was set back since', () => {
    const counted = { ...HEALTHY, metrics: { total_submissions: 6 } };
    expect(isNews(HEALTHY, counted, -400 * 86_400_000)).toBe(true);
  });

  it('does not treat an issue that only grows longer as new', () => {
    const silent = { ...HEALTHY, issues: ['No submissions for 5m1.5s'] };
    const longer = { ...HEALTHY, issues: ['No submissions for 5m6.5s'] };
    expect(isNews(silent, longer, 5_000)).toBe(false);
    expect(isNews(silent, longer, 60_000)).toBe(true);
  });
});
