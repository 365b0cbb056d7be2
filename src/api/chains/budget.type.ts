import { ObjectType } from '@nestjs/graphql';
import { Decimal } from '../../domain/cost/decimal.js';
import { dateTime, exactDecimal, field, int, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { Nanos } from '../../domain/time.js';
import type { ChainBudget } from '../../domain/cost/budget.js';

const Periods = enumOf<ChainBudget['per']>('BudgetPeriod', 'The period that a budget covers.', {
  DAY: 'Each day of the chain.',
  MONTH: 'Each month of the chain.',
  QUARTER: 'Each quarter of the fiscal year.',
  YEAR: 'Each fiscal year.',
});

@ObjectType({ description: 'A cost limit of a chain: an alert is sent when the chain costs more.' })
export class Budget {
  readonly given: ChainBudget;
  readonly chain: string;

  @text('Name of the alert rule that sets the limit.') readonly rule: string;
  @exactDecimal('The limit, in `unit`.') readonly amount: Decimal;
  @text("`TIA`, or the currency of the chain's rates.") readonly unit: string;
  @field(() => Periods, 'The period of the limit.') readonly per: ChainBudget['per'];
  @int('The month with which the fiscal year begins, 1 to 12.') readonly fiscalYearStart: number;
}

export function toBudget(given: ChainBudget, chain: string): Budget {
  const { rule, amount, unit, per, yearStart: fiscalYearStart = 1 } = given;
  const limit = Decimal.parse(amount) ?? Decimal.ZERO;
  return Object.assign(new Budget(), { given, chain, rule, amount: limit, unit, per, fiscalYearStart });
}

@ObjectType({ description: 'The running period of a budget. Amounts are in the unit of the budget.' })
export class BudgetPeriodCost {
  @dateTime('Start of the period; UTC.') readonly from: Nanos;
  @dateTime('End of the period, exclusive; UTC.') readonly to: Nanos;
  @exactDecimal.orNull('The lower bound of the cost so far; null if it is unknown.')
  readonly spent: Decimal | null;
  @exactDecimal.orNull(
    'The expected cost at the end of the period. Null if it is unknown, for a day, and in other units than TIA.',
  )
  readonly expected: Decimal | null;
}
