import { Args, Context, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import type { ApiContext } from '../graphql/api-context.js';
import type { Page } from '../graphql/connection.js';
import { COST_OF_QUERY, Costs, inPast, pageCost, type FieldCost } from '../graphql/field-cost.js';
import { Account, AccountArgs, Balance, BalanceArgs, BalanceConnection } from './account.type.js';
import { AccountsQuery, figuresOf } from './accounts.query.js';
import { BalancesQuery, MOST_TOP_UPS } from './balances.query.js';

/** Assumed number of accounts: most nodes of a fleet share one. */
const ASSUMED_ACCOUNTS = 20;

const accountCost = inPast(({ account }: AccountArgs): FieldCost => ({
  fixed: COST_OF_QUERY,
  rows: typeof account === 'string' ? 1 : ASSUMED_ACCOUNTS,
}));

@Resolver(() => Account)
export class AccountResolver {
  constructor(
    private readonly accounts: AccountsQuery,
    private readonly balances: BalancesQuery,
  ) {}

  @Query(() => [Account], {
    name: 'accounts',
    description:
      'The accounts that pay for submissions, by address. Empty where the settings name no DA node.',
  })
  @Costs(accountCost)
  async getAccounts(
    @Args() args: AccountArgs,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Account[]> {
    return loaders.serveRows(await this.accounts.getAccounts(args, figuresOf(info)));
  }

  @ResolveField('balances', () => BalanceConnection, {
    description: 'Its balances, oldest first. With `asOf` and `knownAt`, as they were known at that time.',
  })
  @Costs(pageCost)
  async getBalances(
    @Parent() account: Account,
    @Args() args: BalanceArgs,
    @Context() { loaders }: ApiContext,
  ): Promise<Page<Balance>> {
    const page = await this.balances.getBalances(account, args);
    loaders.serveRows([...page.nodes]);
    return page;
  }

  @ResolveField('topUps', () => [Balance], {
    description: `The newest balances that rose, newest first; at most ${MOST_TOP_UPS}.`,
  })
  @Costs(() => ({ fixed: COST_OF_QUERY, rows: MOST_TOP_UPS }))
  async getTopUps(@Parent() account: Account, @Context() { loaders }: ApiContext): Promise<Balance[]> {
    return loaders.serveRows(await this.balances.getTopUps(account));
  }
}
