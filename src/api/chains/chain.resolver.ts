import { Inject } from '@nestjs/common';
import { Args, Context, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { budgetsOfChain } from '../../domain/cost/budget.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, listOf } from '../graphql/field-cost.js';
import { Node } from '../nodes/node.type.js';
import { Budget, toBudget } from './budget.type.js';
import { Chain } from './chain.type.js';
import { ChainsQuery } from './chains.query.js';

/** Assumed number of chains: more than most installations have. */
const ASSUMED_CHAINS = 50;

@Resolver(() => Chain)
export class ChainResolver {
  constructor(
    private readonly chains: ChainsQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'budgets'>,
  ) {}

  @Query(() => [Chain], {
    name: 'chains',
    description: 'All chains that a monitored node ever belonged to, by id.',
  })
  @Costs(listOf(ASSUMED_CHAINS))
  async getChains(@Context() { loaders }: ApiContext): Promise<Chain[]> {
    return loaders.serveRows(await this.chains.getChains());
  }

  @Query(() => Chain, {
    name: 'chain',
    nullable: true,
    description: 'A chain by its id; null for a chain of the settings that never had a node.',
  })
  findChain(
    @Args('id', { type: () => ID, description: 'Its `chain_id`.' }) id: string,
  ): Promise<Chain | undefined> {
    return this.chains.findChain(id);
  }

  @ResolveField('nodes', () => [Node])
  getNodes(@Parent() { nodeKeys }: Chain, @Context() { loaders }: ApiContext): Promise<Node[]> {
    return loaders.getNodes(nodeKeys);
  }

  @ResolveField('aggregators', () => [Node])
  getAggregators(@Parent() { aggregatorKeys }: Chain, @Context() { loaders }: ApiContext): Promise<Node[]> {
    return loaders.getNodes(aggregatorKeys);
  }

  @ResolveField('budgets', () => [Budget])
  getBudgets(@Parent() { id }: Chain): Budget[] {
    return budgetsOfChain(this.options.budgets ?? [], id).map((budget) => toBudget(budget, id));
  }
}
