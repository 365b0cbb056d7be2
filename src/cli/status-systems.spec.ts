import { printSystems } from './status-systems.js';

const now = '2026-11-21T00:00:00Z';

describe('the systems behind nodes in `hindsight status`', () => {
  it('are one line each, with unknown for what is not known', () => {
    const sections = printSystems({
      now,
      daNodes: [
        { nodeId: 'alpha', state: 'HEALTHY', reason: 'fine', head: '180', headAgeMs: 3_500 },
        { nodeId: 'beta', state: null, reason: null, head: null, headAgeMs: null },
      ],
      executionLayers: [
        { nodeId: 'alpha', state: 'CRITICAL', reason: '8 blocks behind', head: '92', lagBlocks: '8' },
        { nodeId: 'beta', state: 'UNKNOWN', reason: 'no answer yet', head: null, lagBlocks: null },
      ],
      accounts: [
        {
          address: 'celestia1a',
          nodes: ['alpha', 'beta'],
          balance: '1448032',
          detail: '',
          runway: { from: '2026-11-23T00:00:00Z', to: '2026-11-24T12:00:00Z' },
        },
        { address: 'celestia1b', nodes: ['beta'], balance: null, detail: 'no answer', runway: null },
      ],
    });
    const cells = sections.map((text) => text.split('\n').map((line) => line.trim().split(/ {2,}/)));
    expect(cells[0]?.slice(0, 4)).toEqual([
      ['DA nodes: 2'],
      ['node', 'state', 'head', 'age', 'why'],
      ['alpha', 'HEALTHY', '180', '3.5 s'],
      ['beta', 'UNKNOWN', 'unknown', 'unknown'],
    ]);
    expect(cells[2]?.slice(0, 4)).toEqual([
      ['Execution layers: 2'],
      ['node', 'state', 'head', 'behind', 'why'],
      ['alpha', 'CRITICAL', '92', '8', '8 blocks behind'],
      ['beta', 'UNKNOWN', 'unknown', 'unknown', 'no answer yet'],
    ]);
    expect(cells[1]?.slice(0, 4)).toEqual([
      ['Accounts: 2'],
      ['account', 'nodes', 'TIA', 'lasts', 'why'],
      ['celestia1a', 'alpha, beta', '1.448', '2 d to 3 d 12 h'],
      ['celestia1b', 'beta', 'unknown', 'unknown', 'no answer'],
    ]);
  });

  it('are nothing where there are none', () => {
    expect(printSystems({ now, daNodes: [], executionLayers: [], accounts: [] }).join('')).toBe('');
  });
});
