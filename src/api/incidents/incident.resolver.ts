import { Args, Context, ID, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import type { ApiContext } from '../graphql/api-context.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import { Costs, inPast, pageCost, rowCost } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { Node } from '../nodes/node.type.js';
import { Incident, IncidentConnection, IncidentFilter } from './incident.type.js';
import { IncidentsQuery } from './incidents.query.js';

/** Answers when something was the matter, from the first sign to the end. */
@Resolver(() => Incident)
export class IncidentResolver {
  constructor(private readonly incidents: IncidentsQuery) {}

  @Query(() => IncidentConnection, {
    name: 'incidents',
    description: 'When something was the matter with a node or its DA layer, the newest incident first.',
  })
  @Costs(inPast(pageCost))
  getIncidents(
    @Args('filter', {
      type: () => IncidentFilter,
      nullable: true,
      description: 'Which incidents; all of them when left out.',
    })
    filter: IncidentFilter | null | undefined,
    @Args() args: PagingArgs,
    @Args() travel: TravelArgs,
  ): Promise<Page<Incident>> {
    return this.incidents.getIncidents(filter ?? {}, args, travel);
  }

  @Query(() => Incident, {
    name: 'incident',
    nullable: true,
    description: 'One incident; null where there is none of that id.',
  })
  @Costs(inPast(rowCost))
  findIncident(
    @Args('id', { type: () => ID, description: 'As in the field `id`.' }) id: string,
    @Args() travel: TravelArgs,
  ): Promise<Incident | undefined> {
    return this.incidents.findIncident(id, travel);
  }

  @ResolveField('node', () => Node)
  findNode(
    @Parent() incident: Incident,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Node | undefined> {
    return loaders.findNodeOf(incident, info);
  }
}
