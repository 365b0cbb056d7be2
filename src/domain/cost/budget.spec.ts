import { ALERT_RULES } from '../alerts/alert-rules.js';
import type { AlertRule } from '../alerts/alert-rules.js';
import { budgetsOf, budgetsOfChain, fiscalYearStarts } from './budget.js';

const WORDS = { title: '', means: '', remedy: '' };
const rule = (name: string, budget: string, scope?: AlertRule['scope']): AlertRule => ({
  name,
  ...WORDS,
  severity: 'WARNING',
  forMs: 0,
  condition: { kind: 'cost', budget, unit: 'TIA', per: 'MONTH', forecast: false },
  ...(scope && { scope }),
});

describe('budgets', () => {
  const budgets = budgetsOf([
    ...ALERT_RULES,
    rule('all', '100'),
    rule('some', '5.5', { chains: ['prod-*'] }),
    rule('of a node', '1', { nodes: ['alpha'] }),
  ]);

  it('are those of the cost rules', () => {
    expect(budgets.map(({ rule: name }) => name)).toEqual(['all', 'some', 'of a node']);
    expect(budgets[0]).toEqual({ rule: 'all', amount: '100', unit: 'TIA', per: 'MONTH', scope: {} });
  });

  it('have the begin of their fiscal year', () => {
    const condition = {
      kind: 'cost',
      budget: '9',
      unit: 'TIA',
      per: 'YEAR',
      yearStart: 4,
      forecast: false,
    } as const;
    expect(budgetsOf([{ ...rule('fiscal', '9'), condition }])).toEqual([
      { rule: 'fiscal', amount: '9', unit: 'TIA', per: 'YEAR', yearStart: 4, scope: {} },
    ]);
  });

  it.each([
    ['prod-1', ['100', '5.5']],
    ['test-1', ['100']],
  ])('of %s are those whose rules apply to it', (chain, amounts) => {
    expect(budgetsOfChain(budgets, chain).map(({ amount }) => amount)).toEqual(amounts);
  });
});

describe('the fiscal year of a chain', () => {
  const budget = (per: 'MONTH' | 'QUARTER' | 'YEAR', yearStart?: number, chains = ['prod-*']) => ({
    rule: 'any',
    amount: '1',
    unit: 'TIA',
    per,
    yearStart,
    scope: { chains },
  });

  it.each([
    ['no budget', [], []],
    ['a budget of a month', [budget('MONTH')], []],
    ['quarters of an unnamed year', [budget('QUARTER')], []],
    ['a year without a month', [budget('YEAR')], [1]],
    [
      'a named month, which a year without one does not contradict',
      [budget('YEAR'), budget('QUARTER', 4)],
      [4],
    ],
    ['months that disagree', [budget('YEAR', 10), budget('QUARTER', 4), budget('YEAR', 4)], [4, 10]],
    ['a budget of another chain', [budget('YEAR', 4, ['test-*'])], []],
  ] as const)('with %s', (_, budgets, months) => {
    expect(fiscalYearStarts(budgets, 'prod-1')).toEqual(months);
  });
});
