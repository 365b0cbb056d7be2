import { Args, Context, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { contradicts } from '../../domain/health/health-intervals.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, listOf } from '../graphql/field-cost.js';
import { HealthInterval } from '../health/health.type.js';
import { Node } from './node.type.js';
import { NodesQuery } from './nodes.query.js';

/** Nodes that are taken to be watched: more than most people have. */
const ASSUMED_NODES = 200;

/** Answers what is asked about nodes. */
@Resolver(() => Node)
export class NodeResolver {
  constructor(private readonly nodes: NodesQuery) {}

  @Query(() => [Node], { name: 'nodes', description: 'All nodes that were ever watched, by id.' })
  @Costs(listOf(ASSUMED_NODES))
  async getNodes(@Context() { loaders }: ApiContext): Promise<Node[]> {
    return loaders.serveRows(await this.nodes.getNodes());
  }

  @Query(() => Node, { name: 'node', nullable: true })
  findNode(@Args('id', { type: () => ID }) id: string): Promise<Node | undefined> {
    return this.nodes.findNode(id);
  }

  @ResolveField('da', () => HealthInterval, { nullable: true })
  findDa(@Parent() node: Node, @Context() { loaders }: ApiContext): Promise<HealthInterval | undefined> {
    return loaders.daHealth.load(node.id);
  }

  @ResolveField('node', () => HealthInterval, { nullable: true })
  findNodeHealth(
    @Parent() node: Node,
    @Context() { loaders }: ApiContext,
  ): Promise<HealthInterval | undefined> {
    return loaders.nodeHealth.load(node.id);
  }

  @ResolveField('claim', () => String, { nullable: true })
  findClaim(@Parent() node: Node, @Context() { loaders }: ApiContext): Promise<string | undefined> {
    return loaders.claims.load(node.id);
  }

  @ResolveField('claimDiffers', () => Boolean, { nullable: true })
  async findClaimDiffers(@Parent() node: Node, @Context() { loaders }: ApiContext): Promise<boolean | null> {
    const [claim, da] = await Promise.all([loaders.claims.load(node.id), loaders.daHealth.load(node.id)]);
    return claim === undefined || da === undefined ? null : contradicts(claim, da.state);
  }
}
