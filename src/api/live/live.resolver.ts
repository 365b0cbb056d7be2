import { Args, Context, Parent, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { Block } from '../blocks/block.type.js';
import { BlocksQuery } from '../blocks/blocks.query.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs, rowCost } from '../graphql/field-cost.js';
import { Incident } from '../incidents/incident.type.js';
import { Submission } from '../submissions/submission.type.js';
import { LiveFeed } from './live-feed.js';
import type { LiveEvent, LiveKind } from './live-step.js';
import { HealthChange, LiveArgs, ObservedBlocks, ObservedSubmissions } from './live.type.js';

@Resolver()
export class LiveResolver {
  constructor(private readonly feed: LiveFeed) {}

  @Subscription(() => HealthChange, {
    name: 'healthChanged',
    description:
      'States of health that begin, end, or are decided again by later facts. A node that is no longer monitored becomes `UNKNOWN` by time alone, without an event.',
  })
  @Costs(rowCost)
  watchHealth(@Args() args: LiveArgs, @Context() context: ApiContext): Promise<AsyncIterable<LiveEvent>> {
    return this.subscribe('healthChanged', args, context);
  }

  @Subscription(() => Incident, {
    name: 'incidentChanged',
    description:
      'Incidents that begin, get worse, affect another node, are acknowledged, get a note, recover or end. The numbers in their words change without an event.',
  })
  @Costs(rowCost)
  watchIncidents(@Args() args: LiveArgs, @Context() context: ApiContext): Promise<AsyncIterable<LiveEvent>> {
    return this.subscribe('incidentChanged', args, context);
  }

  @Subscription(() => ObservedSubmissions, {
    name: 'submissionsObserved',
    description: 'Submissions that are recorded. One event has what was recorded at once.',
  })
  @Costs(rowCost)
  watchSubmissions(
    @Args() args: LiveArgs,
    @Context() context: ApiContext,
  ): Promise<AsyncIterable<LiveEvent>> {
    return this.subscribe('submissionsObserved', args, context);
  }

  @Subscription(() => ObservedBlocks, {
    name: 'blocksObserved',
    description: 'Blocks that are recorded. One event has what was recorded at once.',
  })
  @Costs(rowCost)
  watchBlocks(@Args() args: LiveArgs, @Context() context: ApiContext): Promise<AsyncIterable<LiveEvent>> {
    return this.subscribe('blocksObserved', args, context);
  }

  private subscribe(
    kind: LiveKind,
    args: LiveArgs,
    { letGo = () => undefined }: ApiContext,
  ): Promise<AsyncIterable<LiveEvent>> {
    return this.feed.subscribe(kind, args, letGo);
  }
}

@Resolver(() => ObservedSubmissions)
export class ObservedSubmissionsResolver {
  @ResolveField('submissions', () => [Submission])
  getSubmissions(
    @Parent() { keys }: ObservedSubmissions,
    @Context() { loaders }: ApiContext,
  ): Promise<Submission[]> {
    return loaders.getListRows(keys);
  }
}

@Resolver(() => ObservedBlocks)
export class ObservedBlocksResolver {
  constructor(private readonly blocks: BlocksQuery) {}

  @ResolveField('blocks', () => [Block])
  async getBlocks(@Parent() { keys }: ObservedBlocks, @Context() { loaders }: ApiContext): Promise<Block[]> {
    const rows = await this.blocks.getRows(keys);
    return loaders.serveRows(rows.filter((row) => row !== undefined));
  }
}
