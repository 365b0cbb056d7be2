import { printStatus, type NodeSummary } from './status-table.js';

const STATUS = { ready: true, database: 'reachable' } as unknown as Parameters<typeof printStatus>[0];

const stateOf = (state: string, rule = 'rule') => ({ state, rule, reason: `${rule} ${state}` });
const nodeOf = (id: string, given: Partial<NodeSummary>): NodeSummary => ({
  id,
  chain: 'lab-1',
  head: '7',
  pending: '0',
  retired: false,
  aggregator: true,
  da: stateOf('HEALTHY'),
  node: stateOf('HEALTHY'),
  ...given,
});

describe('the nodes in a status', () => {
  const printed = printStatus(STATUS, [
    nodeOf('sequencer', {}),
    nodeOf('follower', { aggregator: false, da: stateOf('UNKNOWN', 'not-aggregator') }),
    nodeOf('listless', { aggregator: null, da: stateOf('UNKNOWN', 'disabled'), pending: null }),
    nodeOf('blind', { da: stateOf('UNKNOWN') }),
    nodeOf('unseen', { da: null, node: null }),
    nodeOf('failing', { da: stateOf('CRITICAL') }),
    nodeOf('gone', { retired: true, node: stateOf('UNKNOWN') }),
  ]);

  it('are healthy where the page of the fleet says so, and those of the past are only counted', () => {
    expect(printed).toContain('Nodes: 6, 3 healthy, 1 no longer monitored\n');
    expect(printed).not.toMatch(/^ *gone /m);
  });

  it('come with the reason of their trouble, and in trouble first', () => {
    const lines = printed.split('\n').filter((line) => line.includes('lab-1'));
    expect(lines.map((line) => line.trim().split(/ +/)[0])).toEqual([
      'blind',
      'unseen',
      'failing',
      'sequencer',
      'follower',
      'listless',
    ]);
    expect(lines[0]).toContain('rule UNKNOWN');
    expect(lines[2]).toContain('rule CRITICAL');
    expect(lines[4]).not.toContain('not-aggregator');
  });
});
