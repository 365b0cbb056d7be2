import { DA_RULES } from './health-da.js';
import { NODE_RULES } from './health-node.js';
import { remedyOf, troubleWords, type FoundCauses } from './trouble-words.js';
import { findCause, type FailureCause } from '../submissions/failure-cause.js';

describe('the words for trouble', () => {
  it.each([
    ['DA', DA_RULES],
    ['NODE', NODE_RULES],
  ] as const)('exist for each rule of %s that reports trouble, and no other', (component, rules) => {
    for (const { name, state } of rules) {
      const isTrouble = state === 'WARNING' || state === 'CRITICAL';
      expect([name, troubleWords(component, name) !== undefined]).toEqual([name, isTrouble]);
    }
  });

  // Sections 7.2 and 7.3 of the specification of the node's interface: the causes that it names, by what the node shows.
  it.each([
    ['DA endpoint unreachable', 'connection refused', ['answers', 'authentication token', 'fully synced']],
    ['out of funds', 'codespace sdk, Code 19', ['Fund the DA account', 'node.da.gas_price']],
  ])('have the remedy of the specification for a logged failure: %s', (_, message, remedies) => {
    const remedy = findCause('ERROR', `DA layer submission failed with error ${message}`)?.remedy ?? '';
    expect(remedies.filter((each) => !remedy.includes(each))).toEqual([]);
  });

  it.each([
    ['no peers connected or not syncing', 'head-still', ['peers', 'wrong address', 'port that is blocked']],
    ['catching up with slowly increasing height', 'catching-up', ['grows slowly', 'peers']],
    ['state root mismatch or execution errors', 'head-still', ['state root', 'execution layer']],
    [
      'the node exiting at once',
      'unreachable',
      ['port in use', 'syntax of its configuration', 'data directory'],
    ],
  ])('have the causes of the specification for a symptom: %s', (_, rule, causes) => {
    const remedy = troubleWords('NODE', rule)?.remedy ?? '';
    expect(causes.filter((each) => !remedy.includes(each))).toEqual([]);
  });

  const causeOf = (message: string): FailureCause => findCause('ERROR', message) as FailureCause;
  const funds = { cause: causeOf('insufficient funds'), count: 189n, lastPosition: 208n };
  const refused = { cause: causeOf('connection refused'), count: 19n, lastPosition: 207n };
  const over = (...causes: FoundCauses['causes']): FoundCauses => ({ causes, isOpen: false });
  const open = (...causes: FoundCauses['causes']): FoundCauses => ({ causes, isOpen: true });

  it('name the remedy for the cause of most failures, its count, and its runbook', () => {
    for (const rule of ['failing', 'failures', 'silent'])
      expect(remedyOf('DA', rule, over(funds, refused))).toMatch(
        /^The DA account is out of funds \(189 of 208 failed attempts\)\. Fund the DA account\..* Runbook: docs\/failure-causes\.md#out_of_funds$/,
      );
    expect(remedyOf('DA', 'failing', over(refused))).toContain('(all failed attempts)');
  });

  it('name the latest cause while attempts fail, and never a stray one', () => {
    const remedy = (found: FoundCauses) => remedyOf('DA', 'failing', found);
    const [now, stray] = [
      { ...refused, lastPosition: 209n },
      { ...refused, count: 2n, lastPosition: 209n },
    ];
    expect(remedy(open(funds, now))).toMatch(
      /^The DA endpoint cannot be reached \(19 of 208 failed attempts\)/,
    );
    expect(remedy(over(funds, now))).toMatch(/^The DA account is out of funds \(189 of 208 /);
    expect(remedy(open(funds, stray))).toMatch(/^The DA account is out of funds \(189 of 191 /);
    expect(remedy(open({ ...funds, count: 1n }))).toMatch(
      /^The DA account is out of funds \(all failed attempts\)/,
    );
  });

  it('leave other rules alone, and rules without a known cause', () => {
    const pageOf = (component: 'DA' | 'NODE' | 'COVERAGE', rule: string) =>
      /^(.*) Runbook: (docs\/runbooks\/[a-z-]+\.md)$/.exec(remedyOf(component, rule, over()) ?? '')?.slice(1);
    expect(remedyOf('DA', 'frozen', over(funds))).toBe(remedyOf('DA', 'frozen', over()));
    expect(pageOf('DA', 'frozen')).toEqual([
      troubleWords('DA', 'frozen')?.remedy,
      'docs/runbooks/finality-frozen.md',
    ]);
    expect(pageOf('DA', 'failing')).toEqual([
      troubleWords('DA', 'failing')?.remedy,
      'docs/runbooks/da-failing.md',
    ]);
    expect(remedyOf('NODE', 'no-rule', over())).toBeUndefined();
  });
});
