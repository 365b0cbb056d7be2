import { arrange, type Arranged } from './arrange.js';

const node = (id: string, chain: string | null, state: string, more: Partial<Arranged> = {}): Arranged => ({
  id,
  chain,
  aggregator: true,
  headFloat: 9,
  pendingFloat: null,
  lastSuccessAt: null,
  da: { state, rule: 'a-rule', reason: 'a reason' },
  node: { state: 'HEALTHY', reason: 'a reason' },
  claim: null,
  claimDiffers: null,
  ...more,
});
const NODES = [
  node('b', 'one', 'HEALTHY', { pendingFloat: 3, lastSuccessAt: '2026-03-02T00:00:00Z' }),
  node('a', 'one', 'CRITICAL', { pendingFloat: 1, lastSuccessAt: '2026-03-01T00:00:00Z' }),
  node('c', null, 'UNKNOWN'),
  node('d', 'two', 'WARNING', { lastSuccessAt: '2026-03-03T00:00:00Z' }),
];
const told = (options: Partial<Parameters<typeof arrange>[1]>): string[] =>
  arrange(NODES, { wanted: '', by: 'nothing', order: 'name', ...options }).map(
    ({ name, nodes }) => `${name}: ${nodes.map(({ id }) => id).join(' ')}`,
  );

describe('the nodes of a fleet', () => {
  it('are grouped by chain or state', () => {
    expect(told({ by: 'chain' })).toEqual(['one: a b', 'Chain not reported yet: c', 'two: d']);
    expect(told({ by: 'state', order: 'worst first' })).toEqual([
      'critical: a',
      'unknown: c',
      'warning: d',
      'healthy: b',
    ]);
  });

  it('are sorted, with unknown values where they need attention', () => {
    expect(told({ order: 'worst first' })).toEqual(['All nodes: a c d b']);
    expect(told({ order: 'most pending' })).toEqual(['All nodes: b a c d']);
    expect(told({ order: 'longest without success' })).toEqual(['All nodes: c a b d']);
  });

  it('are filtered by a part of their id or chain', () => {
    expect(told({ wanted: ' ONE ' })).toEqual(['All nodes: a b']);
    expect(told({ wanted: 'zzz' })).toEqual([]);
  });
});
