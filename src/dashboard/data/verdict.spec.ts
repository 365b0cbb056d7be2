import {
  attentionOf,
  bySeverity,
  verdictOf,
  worstOfAll,
  type VerdictInput,
  presentStateOf,
} from './verdict.js';

const state = (name: string, rule = 'a-rule') => ({ state: name, rule, reason: `${name} for a reason` });
const node = (da: string | null, own: string | null, more: Partial<VerdictInput> = {}): VerdictInput => ({
  aggregator: true,
  headFloat: 9,
  pendingFloat: 1,
  da: da === null ? null : state(da),
  node: own === null ? null : state(own),
  claim: null,
  claimDiffers: null,
  ...more,
});
const WELL = node('HEALTHY', 'HEALTHY');
const P2P_ONLY = node('UNKNOWN', 'HEALTHY', {
  aggregator: null,
  da: state('UNKNOWN', 'disabled'),
  pendingFloat: null,
});
const FOLLOWER = node('UNKNOWN', 'HEALTHY', { aggregator: false });

describe('the verdict of a fleet', () => {
  it.each<[string, VerdictInput[], string]>([
    ['nothing', [], 'No nodes monitored yet'],
    ['one that is well', [WELL], 'Node healthy'],
    ['a follower that submits nothing', [WELL, FOLLOWER], 'All 2 nodes healthy'],
    ['a node that syncs by P2P alone', [WELL, P2P_ONLY], 'All 2 nodes healthy'],
    ['one that submits and shows no list', [WELL, { ...P2P_ONLY, pendingFloat: 1 }], '1 of 2 nodes unknown'],
    ['one whose blocks were never seen', [WELL, { ...P2P_ONLY, headFloat: null }], '1 of 2 nodes unknown'],
    ['one of which nothing is known', [WELL, node(null, null)], '1 of 2 nodes unknown'],
    ['one with a state missing', [node('HEALTHY', null)], '1 of 1 node unknown'],
    [
      'its worst states first',
      [node('WARNING', 'HEALTHY'), node('WARNING', 'CRITICAL'), WELL],
      '1 of 3 nodes critical, 1 warning',
    ],
  ])('covers %s', (_, nodes, verdict) => {
    expect(verdictOf(nodes)).toBe(verdict);
  });

  it('puts the worst first', () => {
    const nodes = [WELL, node('WARNING', 'HEALTHY'), node('HEALTHY', 'CRITICAL'), node(null, 'HEALTHY')];
    expect(nodes.toSorted(bySeverity).map((each) => nodes.indexOf(each))).toEqual([2, 3, 1, 0]);
  });

  it('has the worst state of all nodes, and is unknown without nodes', () => {
    expect(worstOfAll([WELL, FOLLOWER])).toBe('HEALTHY');
    expect(worstOfAll([WELL, node('WARNING', 'HEALTHY')])).toBe('WARNING');
    expect(worstOfAll([node('WARNING', 'HEALTHY'), node(null, 'HEALTHY')])).toBe('UNKNOWN');
    expect(worstOfAll([node('HEALTHY', 'CRITICAL'), node(null, null)])).toBe('CRITICAL');
    expect(worstOfAll([])).toBe('UNKNOWN');
  });

  it('includes open incidents of healthy nodes', () => {
    expect(verdictOf([WELL], 0, 1)).toBe('Node healthy · 1 incident recovering');
    expect(verdictOf([WELL, WELL], 0, 2)).toBe('All 2 nodes healthy · 2 incidents recovering');
    expect(verdictOf([node('WARNING', 'HEALTHY')], 0, 1)).toBe('1 of 1 node warning');
  });

  it('leaves out nodes that are no longer monitored', () => {
    expect(verdictOf([], 2)).toBe('No nodes monitored');
  });

  it('has a reason, as text that no terminal or page obeys', () => {
    expect(attentionOf(WELL, 'UTC')).toEqual([]);
    expect(attentionOf(FOLLOWER, 'UTC')).toEqual([]);
    expect(attentionOf(P2P_ONLY, 'UTC')).toEqual([]);
    expect(
      attentionOf(node('CRITICAL', 'HEALTHY', { claim: 'fine\u202E', claimDiffers: true }), 'UTC'),
    ).toEqual([
      'DA critical: CRITICAL for a reason',
      'The node reports its DA as “fine?”; the record disagrees',
    ]);
  });
});

describe('the state of an incident', () => {
  const lasting = { severity: 'CRITICAL', presentState: 'WARNING', lastSignAt: null, to: null } as const;

  it('is that of now while it lasts, and the worst where that of now is not known', () => {
    expect(presentStateOf(lasting)).toBe('WARNING');
    expect(presentStateOf({ ...lasting, presentState: null })).toBe('CRITICAL');
  });

  it('is none when it is recovering or over', () => {
    const at = '2026-11-21T01:00:00Z';
    expect(presentStateOf({ ...lasting, lastSignAt: at })).toBeUndefined();
    expect(presentStateOf({ ...lasting, lastSignAt: at, to: at })).toBeUndefined();
  });
});
