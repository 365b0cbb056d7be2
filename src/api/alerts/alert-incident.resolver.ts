import { Inject } from '@nestjs/common';
import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { nanosToMillis } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { COST_OF_QUERY } from '../graphql/field-cost.js';
import { Incident } from '../incidents/incident.type.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import { Alert } from './alert.type.js';

@Resolver(() => Alert)
export class AlertIncidentResolver {
  constructor(
    private readonly incidents: IncidentsQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'alerts'>,
  ) {}

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
}
