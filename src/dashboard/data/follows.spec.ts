import { groupByCause, type Following } from './follows.js';

const incident = (id: string, nodeId: string, from: string, more: Partial<Following> = {}): Following => ({
  id,
  chain: 'lab-1',
  component: 'NODE',
  severity: 'CRITICAL',
  presentState: null,
  rule: 'unreachable',
  runbook: null,
  from: `2026-11-28T07:${from}Z`,
  lastSignAt: null,
  nodes: [{ nodeId }],
  ...more,
});
const ROLES: Readonly<Record<string, boolean>> = { leader: true, follower: false, other: false };
const roleOf = (nodeId: string): boolean | null => ROLES[nodeId] ?? null;
const group = (...incidents: Following[]) =>
  groupByCause(incidents, roleOf).map(({ incident: { id }, following }) => [
    id,
    ...following.map((each) => each.id),
  ]);

describe('open incidents by cause', () => {
  it('place a follower that stalls since its leader is dead below the leader', () => {
    const stalled = incident('b', 'follower', '14:00', { severity: 'WARNING' });
    expect(group(stalled, incident('a', 'leader', '13:30'))).toEqual([['a', 'b']]);
  });

  it.each([
    ['began before', incident('b', 'follower', '13:00')],
    ['began much later', incident('b', 'follower', '59:00')],
    ['is of another chain', incident('b', 'follower', '14:00', { chain: 'lab-2' })],
    ['is of a node whose role is unknown', incident('b', 'unknown', '14:00')],
    ['is of DA submissions', incident('b', 'follower', '14:00', { component: 'DA' })],
  ])('stand for themselves where the trouble %s', (_, other) => {
    const groups = group(incident('a', 'leader', '13:30'), other);
    expect(groups).toHaveLength(2);
    expect(groups.flat().toSorted()).toEqual(['a', 'b']);
  });

  it('stand for themselves where two leaders are in trouble', () => {
    const leaders = [incident('a', 'leader', '13:30'), incident('c', 'leader', '13:40')];
    expect(group(...leaders, incident('b', 'follower', '14:00'))).toHaveLength(3);
  });

  it('come worst first, then oldest first, and trouble that waits for calm last', () => {
    const calm = incident('calm', 'other', '10:00', { lastSignAt: '2026-11-28T07:12:00Z' });
    const warning = incident('warning', 'other', '11:00', { severity: 'WARNING', component: 'DA' });
    const eased = incident('eased', 'other', '10:30', { presentState: 'WARNING' });
    const late = incident('late', 'leader', '20:00');
    const early = incident('early', 'unknown', '12:00');
    expect(group(calm, warning, eased, late, early).flat()).toEqual([
      'early',
      'late',
      'eased',
      'warning',
      'calm',
    ]);
  });

  const daNode = incident('d', 'leader', '13:00', { component: 'DA_NODE', rule: 'da-node-unreachable' });
  const failing = (code: string | null, more: Partial<Following> = {}): Following =>
    incident('f', 'leader', '12:50', {
      component: 'DA',
      rule: 'failing',
      runbook: `/runbooks/${code === null ? 'da-silent' : `failure-causes#${code.toLowerCase()}`}`,
      ...more,
    });

  it.each([
    ['da-node-unreachable', 'DA_CONNECTION_LOST'],
    ['da-node-behind', 'TIMED_OUT'],
    ['da-node-behind', null],
    ['consensus-unreachable', 'CORE_UNREACHABLE'],
    ['funds-low', 'OUT_OF_FUNDS'],
    ['funds-low', 'NOT_INCLUDED'],
  ])('place failing submissions below the DA node: %s explains %s', (rule, code) => {
    expect(group(failing(code), { ...daNode, rule })).toEqual([['d', 'f']]);
  });

  it.each<[string, Following, Partial<Following>]>([
    ['the DA node does not explain', failing('TOO_BIG'), {}],
    ['the account does not explain', failing('DA_CONNECTION_LOST'), { rule: 'funds-low' }],
    [
      'an account that lasts for days does not explain',
      failing('NOT_INCLUDED'),
      { rule: 'funds-low', severity: 'WARNING' },
    ],
    [
      'only one of several nodes has',
      failing('TIMED_OUT', { nodes: [{ nodeId: 'leader' }, { nodeId: 'other' }] }),
      {},
    ],
    ['only the token of Hindsight is refused', failing('DA_UNAUTHORIZED'), { rule: 'da-token-refused' }],
    ['another node has', failing('TIMED_OUT', { nodes: [{ nodeId: 'other' }] }), {}],
    ['outlast the trouble of the DA node', failing('TIMED_OUT'), { lastSignAt: '2026-11-28T07:20:00Z' }],
  ])('do not place submissions below a DA node where %s', (_, effect, more) => {
    expect(group(effect, { ...daNode, ...more })).toHaveLength(2);
  });

  it.each([
    ['head-still', 'execution-unreachable', true],
    ['not-ready', 'execution-behind', true],
    ['unreachable', 'execution-differs', true],
    // One machine may have both.
    ['unreachable', 'execution-unreachable', false],
    ['not-live', 'execution-differs', false],
  ])('place a node (%s) below its execution layer (%s): %s', (rule, layer, follows) => {
    const execution = incident('e', 'leader', '13:00', { component: 'EXECUTION', rule: layer });
    expect(group(incident('n', 'leader', '12:50', { rule }), execution)).toHaveLength(follows ? 1 : 2);
  });

  it('place a follower below the execution layer of its leader', () => {
    const execution = incident('e', 'leader', '13:00', { component: 'EXECUTION', rule: 'execution-differs' });
    const leader = incident('n', 'leader', '13:10');
    const follower = incident('b', 'follower', '14:00', { severity: 'WARNING', rule: 'head-late' });
    expect(group(follower, leader, execution)).toEqual([['e', 'n', 'b']]);
  });
});
