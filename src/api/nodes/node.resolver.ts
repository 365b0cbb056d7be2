import { Args, Context, ID, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { contradicts } from '../../domain/health/health-intervals.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast, listOf, rowCost } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { HealthInterval } from '../health/health.type.js';
import { Node } from './node.type.js';
import { countsBlocks, NodesQuery } from './nodes.query.js';
import { versionOf } from '../objects/row-id.js';

/** Assumed number of nodes: more than most installations have. */
const ASSUMED_NODES = 200;

@Resolver(() => Node)
export class NodeResolver {
  constructor(private readonly nodes: NodesQuery) {}

  @Query(() => [Node], { name: 'nodes', description: 'All nodes that were ever monitored, by id.' })
  @Costs(inPast(listOf(ASSUMED_NODES)))
  async getNodes(
    @Context() { loaders }: ApiContext,
    @Args() travel: TravelArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Node[]> {
    const options = { countsBlocks: countsBlocks(info) };
    return loaders.serveRows(await this.nodes.getNodesIn(travel, options));
  }

  @Query(() => Node, {
    name: 'node',
    nullable: true,
    description:
      'A monitored rollup node by its id; null at a time before it was known. For any row by its id, use `object`.',
  })
  @Costs(inPast(rowCost))
  async findNode(
    @Args('id', { type: () => ID, description: 'The id from the settings.' }) id: string,
    @Args() travel: TravelArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Node | undefined> {
    return (await this.nodes.getNodesIn(travel, { id, countsBlocks: countsBlocks(info) }))[0];
  }

  @ResolveField('versionId', () => ID)
  getVersionId(@Parent() { id, past }: Node): string {
    return versionOf(id, past);
  }

  @ResolveField('da', () => HealthInterval, { nullable: true })
  findDa(@Parent() node: Node, @Context() { loaders }: ApiContext): Promise<HealthInterval | undefined> {
    return loaders.daHealth.load(node);
  }

  @ResolveField('node', () => HealthInterval, { nullable: true })
  findNodeHealth(
    @Parent() node: Node,
    @Context() { loaders }: ApiContext,
  ): Promise<HealthInterval | undefined> {
    return loaders.nodeHealth.load(node);
  }

  @ResolveField('claim', () => String, { nullable: true })
  findClaim(@Parent() node: Node, @Context() { loaders }: ApiContext): Promise<string | undefined> {
    return loaders.claims.load(node);
  }

  @ResolveField('claimDiffers', () => Boolean, { nullable: true })
  async findClaimDiffers(@Parent() node: Node, @Context() { loaders }: ApiContext): Promise<boolean | null> {
    const [claim, da] = await Promise.all([loaders.claims.load(node), loaders.daHealth.load(node)]);
    return claim === undefined || da === undefined ? null : contradicts(claim, da.state);
  }
}
