import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import type { HealthComponent } from '../../domain/health/health-rule.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { AvailabilityInterval, HealthComponents, HealthInterval } from './health.type.js';
import { HistoryQuery } from './history.query.js';
import { historyCost, HistoryArgs } from './intervals.js';

@Resolver()
export class HealthResolver {
  constructor(private readonly history: HistoryQuery) {}

  @Query(() => [HealthInterval], {
    name: 'healthHistory',
    description:
      'States of a component, oldest first; at most 10,000. With `asOf`, the state at that time is the last, and open.',
  })
  @Costs(inPast(historyCost))
  async getHealthHistory(
    @Args() args: HistoryArgs,
    @Context() { loaders }: ApiContext,
    @argOrNull('component', () => HealthComponents, 'The component.', 'DA')
    component: HealthComponent | null,
    @Args() travel: TravelArgs,
  ): Promise<HealthInterval[]> {
    return loaders.serveRows(await this.history.getHealthHistory(component ?? 'DA', args, travel));
  }

  @Query(() => [AvailabilityInterval], {
    name: 'availability',
    description: 'States of the list of submissions, oldest first; at most 10,000.',
  })
  @Costs(historyCost)
  async getAvailability(
    @Args() args: HistoryArgs,
    @Context() { loaders }: ApiContext,
  ): Promise<AvailabilityInterval[]> {
    return loaders.serveRows(await this.history.getAvailability(args));
  }
}
