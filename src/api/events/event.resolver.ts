import { Args, Context, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import { COST_OF_QUERY, Costs, type FieldCost, pageCost } from '../graphql/field-cost.js';
import { Json } from '../graphql/scalars.js';
import { Event, EventConnection, EventFilter } from './event.type.js';
import { EventsQuery } from './events.query.js';

@Resolver(() => Event)
export class EventResolver {
  constructor(private readonly events: EventsQuery) {}

  @Query(() => EventConnection, {
    name: 'events',
    description:
      'The log itself, by position. If few events match, a page may be short or empty although more events follow. Continue from `endCursor` while `hasNextPage` is true, or backwards from `startCursor` while `hasPreviousPage` is true.',
  })
  @Costs(eventsCost)
  getEvents(
    @argOrNull('filter', () => EventFilter, 'Filter for events; all events if left out.')
    filter: EventFilter | null | undefined,
    @Args() args: PagingArgs,
  ): Promise<Page<Event>> {
    return this.events.getEvents(filter ?? {}, args);
  }

  @ResolveField('body', () => Json)
  async findBody(@Parent() { position }: Event, @Context() { loaders }: ApiContext): Promise<unknown> {
    const body = await loaders.eventBodies.load(position);
    loaders.serveText(body?.text);
    return body;
  }
}

/** A search along the log takes up to a second. */
const COST_OF_WALK = 50_000;

function eventsCost(args: PagingArgs & { filter?: EventFilter | null }): FieldCost {
  const { rows } = pageCost(args);
  return { fixed: args.filter?.types || args.filter?.streams ? COST_OF_WALK : 4 * COST_OF_QUERY, rows };
}
