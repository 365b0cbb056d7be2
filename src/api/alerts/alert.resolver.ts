import { Inject } from '@nestjs/common';
import { Args, Context, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { nanosToMillis } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { argOrNull } from '../graphql/fields.js';
import type { ApiContext } from '../graphql/api-context.js';
import { PagingArgs, type Page } from '../graphql/connection.js';
import { Costs, COST_OF_QUERY, listOf, pageCost } from '../graphql/field-cost.js';
import { Incident } from '../incidents/incident.type.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import { authorOf } from '../keys/caller.js';
import { Needs } from '../keys/api-keys.js';
import { AlertDestination, AlertTest } from './alert-destination.type.js';
import { AlertRule, UnevaluatedChain } from './alert-rule.type.js';
import { AlertTestsService } from './alert-tests.service.js';
import { Alert, AlertConnection } from './alert.type.js';
import { AlertsQuery } from './alerts.query.js';

const ASSUMED_RULES = 50;
const ASSUMED_DESTINATIONS = 20;

@Resolver(() => Alert)
export class AlertResolver {
  constructor(
    private readonly query: AlertsQuery,
    private readonly tests: AlertTestsService,
    private readonly incidents: IncidentsQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'alerts'>,
  ) {}

  @Query(() => AlertConnection, {
    name: 'alerts',
    description: 'Alerts that were sent to destinations, those raised last first.',
  })
  @Costs(pageCost)
  getAlerts(
    @argOrNull(
      'open',
      () => Boolean,
      'True: only open alerts; false: only those that are over; all alerts if left out.',
    )
    open: boolean | null | undefined,
    @Args() args: PagingArgs,
  ): Promise<Page<Alert>> {
    return this.query.getAlerts(open, args);
  }

  @ResolveField('incident', () => Incident, {
    nullable: true,
    description:
      'The incident of its first node at its beginning. Null for an alert that is not about the health of a node, and for a rule that the settings no longer have.',
    complexity: COST_OF_QUERY,
  })
  async findIncident(@Parent() { rule, nodes, since }: Alert): Promise<Incident | undefined> {
    const [node] = nodes;
    const condition = this.options.alerts?.rules.find(({ name }) => name === rule)?.condition;
    if (node === undefined || condition?.kind !== 'health') return undefined;
    return this.incidents.findIncidentAt(node, condition.component ?? 'DA', nanosToMillis(since));
  }

  @Query(() => [AlertDestination], {
    name: 'alertDestinations',
    description: 'The destinations of alerts. Empty if the settings of this process name none.',
  })
  @Costs(listOf(ASSUMED_DESTINATIONS))
  getDestinations(): Promise<AlertDestination[]> {
    return this.query.getDestinations();
  }

  @Needs('write')
  @Mutation(() => [AlertTest], {
    description:
      'Sends a test message to a destination, or to all of them, and waits for their answers, for 15 seconds at most.',
  })
  @Costs(listOf(ASSUMED_DESTINATIONS))
  testAlert(
    @argOrNull('destination', () => ID, '`AlertDestination.id`; all destinations if left out.')
    destination: string | null | undefined,
    @Context() { caller }: ApiContext,
  ): Promise<AlertTest[]> {
    return this.tests.test(destination, authorOf(caller));
  }
}

@Resolver(() => AlertRule)
export class AlertRuleResolver {
  constructor(private readonly query: AlertsQuery) {}

  @Query(() => [AlertRule], {
    name: 'alertRules',
    description:
      'The rules by which people are notified. Empty if the settings of this process name no destination: then no rule is evaluated.',
  })
  @Costs(listOf(ASSUMED_RULES))
  getRules(): Promise<AlertRule[]> {
    return this.query.getRules();
  }

  @ResolveField('unevaluated', () => [UnevaluatedChain], {
    description:
      'Chains for which it cannot be evaluated now: rules on cost where no price is known in their unit.',
    complexity: COST_OF_QUERY,
  })
  getUnevaluated(@Parent() rule: AlertRule): Promise<UnevaluatedChain[]> {
    return this.query.getUnevaluated(rule);
  }
}
