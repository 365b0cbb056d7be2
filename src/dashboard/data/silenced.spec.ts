import { silencedUntil } from './silenced.js';

describe('the mark of a silence', () => {
  const incident = { chain: 'c', nodes: [{ nodeId: 'a1' }, { nodeId: 'a2' }] };
  const [at1, at2] = ['2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z'];
  const silence = { nodes: null, chains: null, rules: null, until: at1 };

  it('names the time until which all nodes are silenced', () => {
    expect(silencedUntil(incident, [silence])).toBe(at1);
    expect(silencedUntil(incident, [silence, { ...silence, nodes: ['a*'], until: at2 }])).toBe(at2);
    expect(silencedUntil(incident, [silence, { ...silence, nodes: ['a1'], until: at2 }])).toBe(at1);
  });

  it('is left out while an alert of a node is still sent', () => {
    expect(silencedUntil(incident, [])).toBeUndefined();
    expect(silencedUntil(incident, [{ ...silence, nodes: ['a1'] }])).toBeUndefined();
    expect(silencedUntil(incident, [{ ...silence, rules: ['failing'] }])).toBeUndefined();
    expect(silencedUntil(incident, [{ ...silence, chains: ['d'] }])).toBeUndefined();
  });
});
