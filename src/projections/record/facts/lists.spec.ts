import type { NodeEntity } from '../../../tables/record.entities.js';
import { isBack, polledThrough, notePoll, noteState } from './lists.js';

const MINUTE_US = 60_000_000n;

const list = (more: Partial<NodeEntity> = {}): NodeEntity =>
  ({
    retired: false,
    listState: 'AVAILABLE',
    listStateAt: 0n,
    listSeenAt: 5n,
    listLookedAt: 5n,
    ...more,
  }) as NodeEntity;
const UNREACHABLE = { listState: 'UNREACHABLE', listStateAt: 6n, listLookedAt: 6n } as const;
const NOBODY = 2n ** 62n;

describe('the time through which all lists of a chain have been polled', () => {
  it('is that of the list with the oldest last poll', () => {
    expect(polledThrough([list(), list({ listSeenAt: 3n }), list({ listSeenAt: 9n })])).toBe(3n);
  });

  it('waits for a list that was not polled yet', () => {
    expect(polledThrough([list(), list({ listState: null, listSeenAt: null })])).toBe(-1n);
  });

  it.each<[string, Partial<NodeEntity>, bigint]>([
    ['was there a moment ago', UNREACHABLE, 5n],
    ['answers what cannot be read', { ...UNREACHABLE, listState: 'INVALID' }, 5n],
    ['was never seen', { ...UNREACHABLE, listSeenAt: null }, 9n],
    ['has been switched off', { ...UNREACHABLE, listState: 'DISABLED' }, 9n],
    ['is of a node that was retired', { retired: true }, 9n],
  ])('with a list that %s', (_, more, expected) => {
    expect(polledThrough([list(more), list({ listSeenAt: 9n, listLookedAt: 9n })])).toBe(expected);
  });

  it('waits ten minutes for a missing list, as long as others are polled', () => {
    const after = (at: bigint) => list({ listSeenAt: at, listLookedAt: at });
    const missing = list({ ...UNREACHABLE, listStateAt: 0n });
    expect(polledThrough([missing, after(10n * MINUTE_US)])).toBe(5n);
    expect(polledThrough([missing, after(10n * MINUTE_US + 1n)])).toBe(10n * MINUTE_US + 1n);
  });

  it('has no bound if nothing is awaited', () => {
    expect(polledThrough([])).toBe(NOBODY);
  });
});

describe('a poll of a list', () => {
  it('returns all rows only if the list is at hand', () => {
    const node = list();
    notePoll(node, 7n);
    expect(node).toMatchObject({ listSeenAt: 7n, listLookedAt: 7n });
    noteState(node, 'UNREACHABLE', 8n);
    notePoll(node, 9n);
    expect(node).toMatchObject({ listSeenAt: 7n, listLookedAt: 9n, listStateAt: 8n });
    notePoll(node, 1n);
    expect(node.listLookedAt).toBe(9n);
  });

  it('finds a list again that was away, or has not been seen since', () => {
    expect(isBack(list())).toBe(false);
    expect(isBack(list(UNREACHABLE))).toBe(true);
    expect(isBack(list({ listStateAt: 5n }))).toBe(true);
    expect(isBack(list({ listStateAt: null }))).toBe(false);
    expect(isBack(list({ listSeenAt: null }))).toBe(true);
  });
});
