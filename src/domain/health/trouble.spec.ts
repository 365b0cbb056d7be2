import { incidentInWords } from './trouble.js';

describe('what an incident is of, in words', () => {
  const one = [{ nodeId: 'alpha' }];
  it.each([
    ['DA', one, 'lab-1', 'DA of alpha'],
    ['NODE', [...one, { nodeId: 'beta' }, { nodeId: 'beta' }], 'lab-1', 'node alpha and 1 more'],
    ['FINALITY', one, 'lab-1', 'finality of lab-1'],
    ['FINALITY', one, null, 'finality of alpha'],
    ['FINALITY', one, 'lab\u202e1', 'finality of lab?1'],
    ['COVERAGE', one, null, 'our coverage of alpha'],
  ] as const)('%s', (subject, nodes, chain, words) => {
    expect(incidentInWords({ subject, nodeId: 'alpha', nodes, chain })).toBe(words);
  });
});
