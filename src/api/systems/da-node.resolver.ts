import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast, listOf } from '../graphql/field-cost.js';
import { DaNode, DaNodeArgs } from './da-node.type.js';
import { DaNodesQuery } from './da-nodes.query.js';

/** Assumed number of DA nodes: one for each node. */
const ASSUMED_DA_NODES = 200;

@Resolver(() => DaNode)
export class DaNodeResolver {
  constructor(private readonly daNodes: DaNodesQuery) {}

  @Query(() => [DaNode], {
    name: 'daNodes',
    description:
      'The DA nodes that rollup nodes post through, by id of the node. Empty where the settings name none.',
  })
  @Costs(inPast(listOf(ASSUMED_DA_NODES)))
  async getDaNodes(@Args() args: DaNodeArgs, @Context() { loaders }: ApiContext): Promise<DaNode[]> {
    return loaders.serveRows(await this.daNodes.getDaNodes(args));
  }
}
