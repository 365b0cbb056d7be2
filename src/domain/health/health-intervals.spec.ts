import { contradicts, enterClaim, enterVerdict, NO_INTERVALS } from './health-intervals.js';

describe('a claim against our verdict', () => {
  it.each([
    ['healthy', 'CRITICAL', true],
    ['OK ', 'CRITICAL', true],
    ['critical', 'HEALTHY', true],
    ['unhealthy', 'HEALTHY', true],
    ['healthy', 'HEALTHY', false],
    ['healthy', 'WARNING', false],
    ['degraded', 'CRITICAL', false],
    ['warning', 'HEALTHY', false],
    ['unhealthy', 'CRITICAL', false],
    ['unhealthy', 'WARNING', false],
    ['healthy', 'UNKNOWN', null],
    ['unhealthy', 'UNKNOWN', null],
    ['n/a', 'CRITICAL', null],
    [null, 'HEALTHY', null],
  ] as const)('with %s against %s: contradicts %s', (claimed, ours, isContradicted) => {
    expect(contradicts(claimed, ours)).toBe(isContradicted);
  });

  it('counts from two seconds on, whether the verdict is current or has ended', () => {
    const critical = { at: 10_000, rule: 'failing', state: 'CRITICAL', reason: '', limit: null } as const;
    const { book } = enterVerdict(NO_INTERVALS, critical, null);
    const seen = (seenTo: number) => enterClaim(book, { status: 'ok', since: 0, seenTo }, 2_000).book.open;
    expect([seen(11_999)?.contradicted, seen(12_000)?.contradicted]).toEqual([[], [[10_000, 12_000]]]);
    const ended = enterVerdict(
      book,
      { at: 30_000, rule: 'healthy', state: 'HEALTHY', reason: '', limit: null },
      null,
    ).book;
    const late = enterClaim(ended, { status: 'ok', since: 15_000, seenTo: 40_000 }, 2_000).book;
    expect([late.closed[0]?.contradicted, late.open?.contradicted]).toEqual([[[15_000, 30_000]], []]);
    expect([late.closed[0]?.claim, late.open?.claim]).toEqual(['ok', 'ok']);
  });

  it('does not count if our verdict ended before, or just as, the claim began', () => {
    const critical = { at: 1_000, rule: 'failing', state: 'CRITICAL', reason: '', limit: null } as const;
    const { book } = enterVerdict(NO_INTERVALS, critical, null);
    const claimed = enterClaim(book, { status: 'ok', since: 4_000, seenTo: 9_000 }, 2_000).book;
    const endAt = (at: number) =>
      enterVerdict(claimed, { ...critical, at, rule: 'frozen' }, null).book.closed.at(-1);
    expect(endAt(3_000)?.contradicted).toEqual([]);
    expect(endAt(4_000)?.contradicted).toEqual([]);
    expect(endAt(6_000)?.contradicted).toEqual([[4_000, 6_000]]);
  });

  it('changes no recorded interval when a poll shows nothing new', () => {
    const change = { at: 1_000, rule: 'failing', state: 'CRITICAL', reason: '', limit: null } as const;
    const { book } = enterVerdict(NO_INTERVALS, change, null);
    const claim = { status: 'healthy', since: 500, seenTo: 9_000 };
    const known = enterClaim(book, claim, 2_000);
    expect(known.edits).toHaveLength(1);
    expect(known.book.open?.contradicted).toEqual([[1_000, 9_000]]);
    expect(enterClaim(known.book, claim, 2_000).edits).toEqual([]);
    const later = enterClaim(known.book, { ...claim, seenTo: 9_500 }, 2_000);
    expect(later.book.open?.contradicted).toEqual([[1_000, 9_500]]);
  });
});
