import { incidentInWords } from './trouble.js';

describe('the subject of an incident, in words', () => {
  const one = [{ nodeId: 'alpha' }];
  it.each([
    ['DA', one, 'DA submissions of alpha'],
    ['NODE', [...one, { nodeId: 'beta' }, { nodeId: 'beta' }], 'node alpha and 1 more'],
    // Another node of the chain may see finality move.
    ['FINALITY', one, 'finality at alpha'],
    ['FINALITY', [...one, { nodeId: 'beta' }], 'finality at alpha and 1 more'],
    ['COVERAGE', one, 'gap in the record of alpha'],
  ] as const)('%s', (subject, nodes, words) => {
    expect(incidentInWords({ subject, nodeId: 'alpha', nodes })).toBe(words);
  });
});
