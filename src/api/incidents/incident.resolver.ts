import { Args, Context, ID, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import {
  commandOf,
  isByFailures,
  remedyOf,
  runbookOf,
  type FoundCauses,
} from '../../domain/health/trouble-words.js';
import type { ApiContext } from '../graphql/api-context.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import { Costs, inPast, pageCost, rowCost } from '../graphql/field-cost.js';
import { TravelArgs } from '../graphql/time-travel.js';
import { COST_OF_INTERVAL, IntervalCause, IntervalReport } from '../interval/interval.type.js';
import { Node } from '../nodes/node.type.js';
import { IncidentCausesQuery } from './incident-causes.query.js';
import { IncidentImpactQuery } from './incident-impact.query.js';
import { SENTENCE, argOrNull } from '../graphql/fields.js';
import { Incident, IncidentConnection, IncidentFilter } from './incident.type.js';
import { IncidentsQuery } from './incidents.query.js';

/** Reads the rows of a node: a page of fifty incidents fits into a request. */
const COST_OF_CAUSES = 20_000;
/** Only incidents of failing attempts read rows, and these fields share them with `causes`. */
const COST_OF_REMEDY = 10_000;
const COST_OF_RUNBOOK = 5_000;

@Resolver(() => Incident)
export class IncidentResolver {
  constructor(
    private readonly incidents: IncidentsQuery,
    private readonly causes: IncidentCausesQuery,
    private readonly impacts: IncidentImpactQuery,
  ) {}

  @Query(() => IncidentConnection, {
    name: 'incidents',
    description: "Incidents of a node, its DA layer, a chain's finality or our own coverage, newest first.",
  })
  @Costs(inPast(pageCost))
  getIncidents(
    @argOrNull('filter', () => IncidentFilter, 'Filter for incidents; all incidents if left out.')
    filter: IncidentFilter | null | undefined,
    @Args() args: PagingArgs,
    @Args() travel: TravelArgs,
  ): Promise<Page<Incident>> {
    return this.incidents.getIncidents(filter ?? {}, args, travel);
  }

  @Query(() => Incident, {
    name: 'incident',
    nullable: true,
    description: 'One incident by its id; null if there is none.',
  })
  @Costs(inPast(rowCost))
  findIncident(
    @Args('id', { type: () => ID, description: 'As in the field `id`.' }) id: string,
    @Args() travel: TravelArgs,
  ): Promise<Incident | undefined> {
    return this.incidents.findIncident(id, travel);
  }

  @ResolveField('causes', () => [IntervalCause], {
    description:
      'Causes of failed attempts from its first sign to its end, or up to now, the most frequent cause first. For several nodes: the causes of their chain, each attempt counted once. An error for more than 1,000,000 submissions.',
    complexity: COST_OF_CAUSES,
  })
  findCauses(@Parent() incident: Incident): Promise<IntervalCause[]> {
    return this.causes.getCauses(incident);
  }

  @ResolveField('remedy', () => String, {
    nullable: true,
    description:
      'The remedy. If attempts fail, this is the remedy of one of the `causes`: while the incident is open, of the latest cause with at least three failures; afterwards, of the most frequent cause. Null for a rule of another release.',
    complexity: COST_OF_REMEDY,
  })
  async findRemedy(@Parent() incident: Incident): Promise<string | null> {
    return remedyOf(incident.component, incident.rule, await this.getFound(incident)) ?? null;
  }

  @ResolveField('runbook', () => String, {
    nullable: true,
    description:
      'The path of the page of this service that explains the remedy, such as `/runbooks/da-failing`. Null for a rule of another release.',
    complexity: COST_OF_RUNBOOK,
  })
  async findRunbook(@Parent() incident: Incident): Promise<string | null> {
    return runbookOf(incident.component, incident.rule, await this.getFound(incident)) ?? null;
  }

  @ResolveField('command', () => String, {
    description:
      'A shell command that shows or checks the trouble: `curl` of a health probe for a node that does not answer, else `hindsight incident`. Secrets in the address of the node are masked, so put them in again.',
    complexity: SENTENCE,
  })
  async getCommand(@Parent() incident: Incident, @Context() { loaders }: ApiContext): Promise<string> {
    const { component, rule, id, nodeKey, nodeId, nodes, open } = incident;
    const isOver = open && nodes.every((part) => part.nodeId !== nodeId || part.to !== null);
    const node = isOver ? undefined : await loaders.nodes.load(nodeKey);
    return commandOf(component, rule, { INCIDENT_ID: id, NODE_URL: node?.url });
  }

  /** The causes that the remedy depends on; empty for a rule that no failures cause. */
  private async getFound(incident: Incident): Promise<FoundCauses> {
    const { component, rule, open: isOpen, reason } = incident;
    if (!isByFailures(component, rule)) return { causes: [], isOpen, reason };
    const [causes, daNode] = await Promise.all([
      this.causes.getFewCauses(incident),
      this.causes.findDaNodeRule(incident),
    ]);
    return { causes, isOpen, daNode };
  }

  @ResolveField('impact', () => IntervalReport, {
    description:
      'Its impact: the `intervalReport` from its first sign to its end, or up to now. For several nodes: the report of their chain. For more than 31 days: the report of the last 31 days.',
    complexity: COST_OF_INTERVAL,
  })
  findImpact(@Parent() incident: Incident): Promise<IntervalReport> {
    return this.impacts.getImpact(incident);
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
