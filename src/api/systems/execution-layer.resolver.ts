import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast, listOf } from '../graphql/field-cost.js';
import { ExecutionLayer, ExecutionLayerArgs } from './execution-layer.type.js';
import { ExecutionLayersQuery } from './execution-layers.query.js';

/** Assumed number of execution layers: one for each node. */
const ASSUMED_LAYERS = 200;

@Resolver(() => ExecutionLayer)
export class ExecutionLayerResolver {
  constructor(private readonly layers: ExecutionLayersQuery) {}

  @Query(() => [ExecutionLayer], {
    name: 'executionLayers',
    description:
      'The execution layers of rollup nodes, by id of the node, and whether they are in step with them. Empty where the settings name none.',
  })
  @Costs(inPast(listOf(ASSUMED_LAYERS)))
  async getExecutionLayers(
    @Args() args: ExecutionLayerArgs,
    @Context() { loaders }: ApiContext,
  ): Promise<ExecutionLayer[]> {
    return loaders.serveRows(await this.layers.getExecutionLayers(args));
  }
}
