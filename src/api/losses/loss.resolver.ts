import { Args, Context, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { argOrNull } from '../graphql/fields.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast, pageCost } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { Node } from '../nodes/node.type.js';
import { Loss, LossConnection, LossFilter } from './loss.type.js';
import { LossesQuery } from './losses.query.js';

@Resolver(() => Loss)
export class LossResolver {
  constructor(private readonly losses: LossesQuery) {}

  @Query(() => LossConnection, {
    name: 'losses',
    description: 'Gaps: submissions that were never seen, newest gap first.',
  })
  @Costs(inPast(pageCost))
  getLosses(
    @argOrNull('filter', () => LossFilter, 'Filter for gaps; all gaps if left out.')
    filter: LossFilter | null | undefined,
    @Args() args: PagingArgs,
    @Args() travel: TravelArgs,
  ): Promise<Page<Loss>> {
    return this.losses.getLosses(filter ?? {}, args, travel);
  }

  @ResolveField('node', () => Node)
  findNode(
    @Parent() loss: Loss,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Node | undefined> {
    return loaders.findNodeOf(loss, info);
  }
}
