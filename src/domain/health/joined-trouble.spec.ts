import type { RuleInterval, IntervalEdit } from './health-intervals.js';
import type { HealthState } from './health-rule.js';
import { causeOf, foldTrouble, JOINED_WITHIN_MS, type LastTrouble } from './joined-trouble.js';
import { QUIET_MS } from './trouble.js';

const MINUTE = 60_000;

/** Puts an interval that is open at the end of its line. */
function put(from: number, state: HealthState, rule: string = state.toLowerCase()): IntervalEdit {
  const interval: RuleInterval = {
    from,
    to: null,
    state,
    rule,
    reason: '',
    limit: null,
    claim: null,
    contradicted: [],
  };
  return { kind: 'put', interval };
}

/** Nodes of a chain whose lines change one after the other. */
class Chain {
  constructor(private readonly cause = 'refused: OUT_OF_FUNDS') {}

  readonly last = new Map<string, LastTrouble | undefined>();
  /** The troubles that began, e.g. `beta 60000 joins alpha 0`. */
  readonly begun: string[] = [];
  readonly gone: string[] = [];

  enter(node: string, edit: IntervalEdit, cause: string | null = this.cause): this {
    const others = [...this.last].flatMap(([name, trouble]) => (name !== node && trouble ? [trouble] : []));
    const { trouble, begun, gone } = foldTrouble(this.last.get(node), node, edit, {
      others,
      cause,
      chain: 'lab-1',
    });
    this.last.set(node, trouble);
    if (begun && trouble) {
      const { root } = trouble;
      this.begun.push(
        root.node === node && root.from === begun.from
          ? `${node} ${begun.from}`
          : `${node} ${begun.from} joins ${root.node} ${root.from}`,
      );
    }
    if (gone) this.gone.push(`${gone.node} ${gone.from}`);
    return this;
  }
}

describe('trouble of several nodes of a chain', () => {
  const alphaFails = (): Chain => new Chain().enter('alpha', put(0, 'WARNING'));

  it.each<[string, (chain: Chain) => unknown, string[]]>([
    [
      'is one incident while the other one lasts',
      (chain) => chain.enter('beta', put(MINUTE, 'WARNING')),
      ['beta 60000 joins alpha 0'],
    ],
    [
      'is one incident although the trouble that was recorded later began a little earlier',
      (chain) => chain.enter('beta', put(-1_000, 'WARNING')),
      ['beta -1000 joins alpha 0'],
    ],
    [
      'is one incident in calm that is too short to end it',
      (chain) =>
        chain.enter('alpha', put(MINUTE, 'HEALTHY')).enter('beta', put(MINUTE + QUIET_MS - 1, 'WARNING')),
      ['beta 359999 joins alpha 0'],
    ],
    [
      'is another incident once the calm was long enough',
      (chain) =>
        chain.enter('alpha', put(MINUTE, 'HEALTHY')).enter('beta', put(MINUTE + QUIET_MS, 'WARNING')),
      ['beta 360000'],
    ],
    [
      'is another incident once the calm was long enough in total, whatever came between',
      (chain) =>
        chain
          .enter('alpha', put(MINUTE, 'HEALTHY'))
          .enter('alpha', put(3 * MINUTE, 'UNKNOWN', 'not-watched'))
          .enter('alpha', put(4 * MINUTE, 'UNKNOWN', 'no-attempt'))
          .enter('beta', put(7 * MINUTE, 'WARNING')),
      ['beta 420000'],
    ],
    [
      'is one incident while the calm is a moment too short, without unmonitored time',
      (chain) =>
        chain
          .enter('alpha', put(MINUTE, 'HEALTHY'))
          .enter('alpha', put(3 * MINUTE, 'UNKNOWN', 'not-watched'))
          .enter('alpha', put(4 * MINUTE, 'UNKNOWN', 'no-attempt'))
          .enter('beta', put(7 * MINUTE - 1, 'WARNING')),
      ['beta 419999 joins alpha 0'],
    ],
    [
      'counts calm once that is opened again',
      (chain) =>
        chain
          .enter('alpha', put(MINUTE, 'HEALTHY'))
          .enter('alpha', put(3 * MINUTE, 'UNKNOWN', 'not-watched'))
          .enter('alpha', { kind: 'drop', from: 3 * MINUTE })
          .enter('alpha', put(MINUTE, 'HEALTHY'))
          .enter('beta', put(MINUTE + QUIET_MS - 1, 'WARNING')),
      ['beta 359999 joins alpha 0'],
    ],
    [
      'is another incident when the first one is of a node that was taken out of the settings',
      (chain) =>
        chain.enter('alpha', put(MINUTE, 'UNKNOWN', 'retired')).enter('beta', put(MINUTE + 1, 'WARNING')),
      ['beta 60001'],
    ],
    [
      'is one incident if it is unknown whether the first one ended',
      (chain) =>
        chain
          .enter('alpha', put(MINUTE, 'UNKNOWN', 'not-watched'))
          .enter('beta', put(20 * MINUTE, 'WARNING')),
      ['beta 1200000 joins alpha 0'],
    ],
    [
      'is another incident if the cause differs',
      (chain) => chain.enter('beta', put(MINUTE, 'WARNING'), 'unreachable'),
      ['beta 60000'],
    ],
    [
      'is another incident if the cause is unknown',
      (chain) => chain.enter('beta', put(MINUTE, 'WARNING'), null),
      ['beta 60000'],
    ],
    [
      'is another incident than one that began an hour ago',
      (chain) => chain.enter('beta', put(JOINED_WITHIN_MS + 1, 'WARNING')),
      ['beta 3600001'],
    ],
    [
      'is another incident than trouble that has flapped for an hour, whichever nodes flap, and whichever joined it since',
      (chain) =>
        chain
          .enter('alpha', put(MINUTE, 'HEALTHY'))
          .enter('alpha', put(2 * MINUTE, 'WARNING'))
          .enter('gamma', put(JOINED_WITHIN_MS, 'WARNING'))
          .enter('beta', put(2 * MINUTE + JOINED_WITHIN_MS, 'WARNING')),
      ['gamma 3600000 joins alpha 0', 'beta 3720000'],
    ],
    [
      'continues as one incident that its first node has left',
      (chain) =>
        chain
          .enter('beta', put(MINUTE, 'WARNING'))
          .enter('alpha', put(2 * MINUTE, 'HEALTHY'))
          .enter('gamma', put(20 * MINUTE, 'WARNING'))
          .enter('alpha', put(30 * MINUTE, 'WARNING')),
      ['beta 60000 joins alpha 0', 'gamma 1200000 joins alpha 0', 'alpha 1800000 joins alpha 0'],
    ],
    [
      'is not joined later: what is two remains two',
      (chain) =>
        chain
          .enter('beta', put(MINUTE, 'WARNING'), 'unreachable')
          .enter('beta', put(2 * MINUTE, 'CRITICAL'), 'head')
          .enter('gamma', put(3 * MINUTE, 'WARNING')),
      ['beta 60000', 'gamma 180000 joins alpha 0'],
    ],
  ])('%s', (_, happen, begun) => {
    const chain = alphaFails();
    happen(chain);
    expect(chain.begun).toEqual(['alpha 0', ...begun]);
  });

  it('is one incident only at the same time, if the cause is concluded from the state of a node', () => {
    const dies = (calmMs: number): string[] =>
      new Chain('unreachable')
        .enter('alpha', put(0, 'CRITICAL'))
        .enter('alpha', put(MINUTE, 'HEALTHY'))
        .enter('beta', put(MINUTE + calmMs, 'CRITICAL')).begun;
    // A rolling restart, or two polls of one outage.
    expect(dies(29_999)).toEqual(['alpha 0', 'beta 89999 joins alpha 0']);
    expect(dies(30_000)).toEqual(['alpha 0', 'beta 90000']);
    expect(dies(170_000)).toEqual(['alpha 0', 'beta 230000']);
  });

  it('begins once for all flapping, and again after enough calm', () => {
    const chain = alphaFails()
      .enter('alpha', put(MINUTE, 'HEALTHY'))
      .enter('alpha', put(2 * MINUTE, 'CRITICAL'))
      .enter('alpha', put(3 * MINUTE, 'HEALTHY'))
      .enter('alpha', put(3 * MINUTE + QUIET_MS, 'UNKNOWN', 'no-attempt'))
      .enter('alpha', put(4 * MINUTE + QUIET_MS, 'WARNING'));
    expect(chain.begun).toEqual(['alpha 0', `alpha ${4 * MINUTE + QUIET_MS}`]);
  });

  it('never existed if it was taken back', () => {
    const chain = new Chain()
      .enter('alpha', put(0, 'HEALTHY'))
      .enter('alpha', put(MINUTE, 'WARNING'))
      .enter('alpha', { kind: 'drop', from: MINUTE })
      .enter('alpha', put(0, 'HEALTHY'))
      .enter('beta', put(2 * MINUTE, 'WARNING'));
    expect(chain.gone).toEqual(['alpha 60000']);
    expect(chain.begun).toEqual(['alpha 60000', 'beta 120000']);
    chain.enter('beta', put(2 * MINUTE, 'UNKNOWN', 'no-attempt'));
    expect(chain.gone).toEqual(['alpha 60000', 'beta 120000']);
  });

  it('stays as it is if an interval is only recorded again', () => {
    const chain = alphaFails();
    const before = chain.last.get('alpha');
    chain.enter('alpha', put(0, 'WARNING'));
    expect(chain.last.get('alpha')).toBe(before);
  });
});

describe('the cause of trouble', () => {
  it.each([
    ['frozen', null, 'inclusion-late', null, true],
    ['silent', null, 'slow', null, true],
    ['head-still', null, 'head-late', null, true],
    ['failures', 'OUT_OF_FUNDS', 'failing', 'OUT_OF_FUNDS', true],
    ['failures', 'OUT_OF_FUNDS', 'failures', 'TOO_BIG', false],
    ['failures', 'OUT_OF_FUNDS', 'silent', 'OUT_OF_FUNDS', false],
    ['frozen', null, 'silent', null, false],
    ['unwatched', null, 'unwatched', null, true],
  ] as const)('is the same for %s (%s) and %s (%s): %s', (one, why, other, whyOther, isSame) => {
    expect(causeOf(one, why) === causeOf(other, whyOther)).toBe(isSame);
  });

  it.each([
    ['failures', null],
    ['failures', 'UNKNOWN'],
    ['failing', 'DA_ERROR'],
    ['rows-missed', null],
    ['of another release', null],
  ] as const)('is unknown for %s (%s)', (rule, why) => {
    expect(causeOf(rule, why)).toBeNull();
  });
});
