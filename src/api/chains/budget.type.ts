import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Decimal } from '../../domain/cost/decimal.js';
import { dateTime, exactDecimal, int, text } from '../graphql/fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { microsToNanos, type Nanos } from '../../domain/time.js';
import type { RunningBudget } from '../../statistics/read/cost/budget.reader.js';
import type { ChainBudget } from '../../domain/cost/budget.js';

const Periods = enumOf<ChainBudget['per']>(['DAY', 'MONTH', 'QUARTER', 'YEAR']);

registerEnumType(Periods, {
  name: 'BudgetPeriod',
  description: 'The period that a budget covers.',
  valuesMap: {
    DAY: { description: 'Each day of the chain.' },
    MONTH: { description: 'Each month of the chain.' },
    QUARTER: { description: 'Each quarter of the fiscal year.' },
    YEAR: { description: 'Each fiscal year.' },
  },
});

@ObjectType({ description: 'A cost limit of a chain: an alert is sent when the chain costs more.' })
export class Budget {
  constructor(
    readonly given: ChainBudget,
    readonly chain: string,
  ) {}

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
  @int('The month with which the fiscal year begins, 1 to 12.')
  get fiscalYearStart(): number {
    return this.given.yearStart ?? 1;
  }
}

@ObjectType({ description: 'The running period of a budget. Amounts are in the unit of the budget.' })
export class BudgetPeriodCost {
  constructor(private readonly running: RunningBudget) {}

  @dateTime('Start of the period; UTC.')
  get from(): Nanos {
    return microsToNanos(this.running.fromUs);
  }
  @dateTime('End of the period, exclusive; UTC.')
  get to(): Nanos {
    return microsToNanos(this.running.toUs);
  }
  @exactDecimal.orNull('The lower bound of the cost so far; null if it is unknown.')
  get spent(): Decimal | null {
    return this.running.spent;
  }
  @exactDecimal.orNull(
    'The expected cost at the end of the period. Null if it is unknown, for a day, and in other units than TIA.',
  )
  get expected(): Decimal | null {
    return this.running.expected;
  }
}
