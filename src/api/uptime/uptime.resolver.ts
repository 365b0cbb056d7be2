import { Inject } from '@nestjs/common';
import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { millisToMicros, type Nanos } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { ApiContext } from '../graphql/api-context.js';
import { COST_OF_QUERY, Costs, type FieldCost } from '../graphql/field-cost.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { toMicros } from '../graphql/scalars.js';
import { countBuckets } from '../statistics/report-cost.js';
import { LARGEST_REPORT } from '../../statistics/read/plan/report-request.js';
import { UptimeQuery } from './uptime.query.js';
import { UptimeArgs, UptimeRow } from './uptime.type.js';
import { questionPart, rowId } from '../objects/row-id.js';

/** Of a row: its intervals are found for each bucket by itself. */
const COST_OF_ROW = 40;

/** Answers for how long a node was up. */
@Resolver()
export class UptimeResolver {
  constructor(
    private readonly nodes: NodesQuery,
    private readonly uptime: UptimeQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  @Query(() => [UptimeRow], {
    name: 'uptime',
    description:
      'For how long a component of a node was healthy, warning, critical and unknown, by bucket, the oldest first; at most 10,000 rows. Healthy and warning time is up, critical time is down, and unknown time is neither: it stands by itself and is left out of the share.',
  })
  @Costs(uptimeCost)
  async getUptime(@Args() args: UptimeArgs, @Context() { loaders }: ApiContext): Promise<UptimeRow[]> {
    const { chain } = await this.nodes.getNode(args.node);
    const rows = await this.uptime.getUptime({
      node: args.node,
      component: args.component ?? 'DA',
      bucket: args.bucket,
      fromUs: toMicros(args.from),
      toUs: toMicros(args.to),
      timeZone: args.timeZone ?? undefined,
      chain,
      nowUs: millisToMicros(this.options.clock.now()),
    });
    const { node, component, bucket, from, to, timeZone } = args;
    const question = questionPart({ node, component: component ?? 'DA', bucket, from, to, timeZone });
    return loaders.serveRows(
      rows.map((row) => Object.assign(row, { id: rowId('UptimeRow', question, row.time) })),
    );
  }
}

/** By the buckets of the asked time. */
export function uptimeCost(args: UptimeArgs, now: Nanos): FieldCost {
  const rows = Math.min(countBuckets(args, now), LARGEST_REPORT);
  return { fixed: 3 * COST_OF_QUERY, rows, perRow: COST_OF_ROW };
}
