import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Decimal } from '../../domain/cost/decimal.js';
import { exactDecimal, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { ChainBudget } from '../../domain/cost/budget.js';

const Periods = enumOf<ChainBudget['per']>(['DAY', 'MONTH']);

registerEnumType(Periods, {
  name: 'BudgetPeriod',
  description: 'The period that a budget covers.',
  valuesMap: {
    DAY: { description: 'Each day of the chain.' },
    MONTH: { description: 'Each month of the chain.' },
  },
});

@ObjectType({ description: 'A cost limit of a chain: an alert is sent when the chain costs more.' })
export class Budget {
  constructor(private readonly given: ChainBudget) {}

  @text('Name of the alert rule that sets the limit.')
  get rule(): string {
    return this.given.rule;
  }
  @exactDecimal('The limit, in `unit`.')
  get amount(): Decimal {
    return Decimal.parse(this.given.amount) ?? Decimal.ZERO;
  }
  @text("`TIA`, or the currency of the chain's rates.")
  get unit(): string {
    return this.given.unit;
  }
  @Field(() => Periods, { description: 'The period of the limit.' })
  get per(): ChainBudget['per'] {
    return this.given.per;
  }
}
