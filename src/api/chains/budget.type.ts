import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Decimal } from '../../domain/cost/decimal.js';
import { exactDecimal, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { Budget as GivenBudget } from '../../domain/cost/budget.js';

const Periods = enumOf<GivenBudget['per']>(['DAY', 'MONTH']);

registerEnumType(Periods, {
  name: 'BudgetPeriod',
  description: 'The time that a budget is for.',
  valuesMap: {
    DAY: { description: 'Each day of the chain.' },
    MONTH: { description: 'Each month of the chain.' },
  },
});

@ObjectType({ description: 'What a chain may cost: whoever gets alerts is told when it costs more.' })
export class Budget {
  constructor(private readonly given: GivenBudget) {}

  @text('Name of the rule of alerts that it stands in.')
  get rule(): string {
    return this.given.rule;
  }
  @exactDecimal('How much, in `unit`.')
  get amount(): Decimal {
    return Decimal.parse(this.given.amount) ?? Decimal.ZERO;
  }
  @text("`TIA`, or the currency of the chain's rates.")
  get unit(): string {
    return this.given.unit;
  }
  @Field(() => Periods, { description: 'In how much time.' })
  get per(): GivenBudget['per'] {
    return this.given.per;
  }
}
