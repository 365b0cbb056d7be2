import { Args, Context, ID, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import type { Nanos } from '../../domain/time.js';
import { badUserInput } from '../errors.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, inPast, pageCost, rowCost } from '../graphql/field-cost.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import { selectedOfRows } from '../graphql/selected-fields.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { DateTime, Int64, toNanos } from '../graphql/scalars.js';
import { Node } from '../nodes/node.type.js';
import { parseHeaderHash } from './block-hash.js';
import { Block, BlockConnection, BlockFilter, BlockOrder } from './block.type.js';
import { BlocksQuery } from './blocks.query.js';

@Resolver(() => Block)
export class BlockResolver {
  constructor(private readonly blocks: BlocksQuery) {}

  @Query(() => BlockConnection, {
    name: 'blocks',
    description: 'Blocks as nodes showed them: one row for each node that showed a block.',
  })
  @Costs(inPast(pageCost))
  getBlocks(
    @argOrNull('filter', () => BlockFilter, 'Filter for blocks; all blocks if left out.')
    filter: BlockFilter | null | undefined,
    @argOrNull('order', () => BlockOrder, 'Order of the rows.', BlockOrder.HEIGHT_DESC)
    order: BlockOrder | null,
    @Args() args: PagingArgs,
    @Args() travel: TravelArgs,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page<Block>> {
    const { HEIGHT_DESC } = BlockOrder;
    return this.blocks.getBlocks(filter ?? {}, order ?? HEIGHT_DESC, args, travel, selectedOfRows(info));
  }

  @Query(() => Block, {
    name: 'block',
    nullable: true,
    description: 'One block of a node, by its height or by its header hash (hex or base64).',
  })
  @Costs(inPast(rowCost))
  async findBlock(
    @Args('node', { type: () => ID, description: 'Id of the node that showed the block.' }) node: string,
    @argOrNull('height', () => Int64, 'Its height. Either `height` or `hash` is needed.')
    height: bigint | null | undefined,
    @argOrNull('hash', () => String, 'Its header hash, hex or base64. Either `height` or `hash` is needed.')
    hash: string | null | undefined,
    @Args() travel: TravelArgs,
  ): Promise<Block | undefined> {
    const byHeight = typeof height === 'bigint';
    const byHash = typeof hash === 'string';
    if (byHeight === byHash) throw badUserInput('Give either `height` or `hash` of the block.');
    return byHash
      ? this.blocks.findBlockByHash(node, parseHeaderHash(hash), travel)
      : this.blocks.findBlockByHeight(node, height as bigint, travel);
  }

  @ResolveField('includedAt', () => DateTime, { nullable: true })
  async findIncludedAt(@Parent() block: Block, @Context() { loaders }: ApiContext): Promise<Nanos | null> {
    const at = toNanos((await loaders.includedTimes.load(block)) ?? null);
    const { asOf } = block.past;
    return at === null || (asOf !== undefined && at >= asOf) ? null : at;
  }

  @ResolveField('node', () => Node)
  findNode(
    @Parent() block: Block,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Node | undefined> {
    return loaders.findNodeOf(block, info);
  }
}
