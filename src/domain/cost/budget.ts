import type { AlertRule } from '../alerts/alert-rules.js';
import { isInScope, type AlertScope } from '../alerts/alert-scope.js';
import type { BudgetPer } from './budget-period.js';

export interface ChainBudget {
  readonly rule: string;
  /** Decimal text, in `unit`. */
  readonly amount: string;
  /** TIA, or the currency of the chain's rates. */
  readonly unit: string;
  readonly per: BudgetPer;
  /** The month with which the fiscal year begins; undefined: January. */
  readonly yearStart?: number | undefined;
  readonly scope: AlertScope;
}

/** The budgets that alert rules set; a rule of the forecast has the same budget as a rule of the cost. */
export function budgetsOf(rules: readonly AlertRule[]): ChainBudget[] {
  return rules.flatMap(({ name, condition, scope = {} }) => {
    if (condition.kind !== 'cost') return [];
    const { budget: amount, unit, per, yearStart } = condition;
    return [{ rule: name, amount, unit, per, ...(yearStart && { yearStart }), scope }];
  });
}

/** The budgets of a chain. A rule that is limited to some nodes sets no budget for a chain. */
export function budgetsOfChain(budgets: readonly ChainBudget[], chain: string): ChainBudget[] {
  return budgets.filter(({ rule, scope }) => isInScope(scope, { rule, node: null, chain }));
}

/**
 * The months with which the fiscal year of a chain begins by its budgets, ascending: several if they disagree. The years of
 * budgets without a month are a fiscal year only where no other budget names a month.
 * @returns an empty list if no budget has a fiscal year
 */
export function fiscalYearStarts(budgets: readonly ChainBudget[], chain: string): number[] {
  const own = budgetsOfChain(budgets, chain);
  const named = new Set(own.flatMap(({ yearStart }) => yearStart ?? []));
  if (named.size > 0) return [...named].toSorted((a, b) => a - b);
  return own.some(({ per }) => per === 'YEAR') ? [1] : [];
}
