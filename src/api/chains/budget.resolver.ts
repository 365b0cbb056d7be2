import { Inject } from '@nestjs/common';
import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { microsToNanos, millisToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { readBudget } from '../../statistics/read/cost/budget.reader.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { Budget, BudgetPeriodCost } from './budget.type.js';

/** A report of a year by months. */
const COST_OF_BUDGET = 45_000;

@Resolver(() => Budget)
export class BudgetResolver {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  @ResolveField('current', () => BudgetPeriodCost, {
    description: 'The running period: what it has cost so far, and is expected to cost.',
    complexity: COST_OF_BUDGET,
  })
  async getCurrent(@Parent() { given, chain }: Budget): Promise<BudgetPeriodCost> {
    const nowUs = millisToMicros(this.options.clock.now());
    const budget = await inSnapshot(this.reads, (query) => readBudget(query, chain, given, nowUs));
    const { fromUs, toUs, spent, expected } = budget;
    const period = { from: microsToNanos(fromUs), to: microsToNanos(toUs) };
    return Object.assign(new BudgetPeriodCost(), { ...period, spent, expected });
  }
}
