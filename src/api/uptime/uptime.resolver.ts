import { Inject } from '@nestjs/common';
import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { millisToMicros, type Nanos } from '../../domain/time.js';
import { badUserInput } from '../errors.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { ApiContext } from '../graphql/api-context.js';
import { COST_OF_QUERY, Costs, inPast, type FieldCost } from '../graphql/field-cost.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { toMicros } from '../graphql/scalars.js';
import { countBuckets } from '../statistics/report-cost.js';
import { LARGEST_REPORT } from '../../statistics/read/plan/report-request.js';
import { UptimeQuery } from './uptime.query.js';
import { UptimeArgs, UptimeOfNodesArgs, UptimeRow } from './uptime.type.js';
import { questionPart, rowId, versionOf } from '../objects/row-id.js';

/** Cost of a row: the intervals of each bucket are looked up separately. */
const COST_OF_ROW = 40;
const MOST_NODES = 1_000;

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
      'How long a component of a node was healthy, warning, critical and unknown, by bucket, oldest first; at most 10,000 rows. Healthy and warning time counts as up, critical time as down. Unknown time is neither: it is reported separately and left out of the share.',
  })
  @Costs(inPast(uptimeCost))
  async getUptime(@Args() args: UptimeArgs, @Context() { loaders }: ApiContext): Promise<UptimeRow[]> {
    const chain = (await this.nodes.findNode(args.node))?.chain ?? null;
    const rows = await this.uptime.getUptime({
      nodes: [args.node],
      component: args.component ?? 'DA',
      bucket: args.bucket,
      fromUs: toMicros(args.from),
      toUs: toMicros(args.to),
      timeZone: args.timeZone ?? undefined,
      chain,
      knownAt: args.knownAt,
      nowUs: millisToMicros(this.options.clock.now()),
    });
    return loaders.serveRows(rows.map((row) => named(row, args)));
  }

  @Query(() => [UptimeRow], {
    name: 'uptimeOfNodes',
    description:
      'Like `uptime`, for several nodes at once: one node after the other in the requested order, at most 10,000 rows in total.',
  })
  @Costs(inPast(uptimeOfNodesCost))
  async getUptimeOfNodes(
    @Args() args: UptimeOfNodesArgs,
    @Context() { loaders }: ApiContext,
  ): Promise<UptimeRow[]> {
    if (args.nodes.length > MOST_NODES) throw badUserInput(`\`nodes\` can have at most ${MOST_NODES} ids.`);
    const { nodes, component, bucket, from, to, timeZone, knownAt } = args;
    const question = { component, bucket, from, to, timeZone: timeZone ?? 'UTC', knownAt };
    const rows = await this.uptime.getUptime({
      nodes: [...new Set(nodes)],
      component: component ?? 'DA',
      bucket,
      fromUs: toMicros(from),
      toUs: toMicros(to),
      timeZone: question.timeZone,
      chain: null,
      knownAt,
      nowUs: millisToMicros(this.options.clock.now()),
    });
    return loaders.serveRows(rows.map((row) => named(row, question)));
  }
}

/** Adds the id, which contains the request for its node alone, so that the row can be found again. */
function named(
  row: UptimeRow,
  args: Omit<UptimeOfNodesArgs, 'nodes' | 'from' | 'to'> & Pick<UptimeArgs, 'from' | 'to'>,
): UptimeRow {
  const { component, bucket, from, to, timeZone, knownAt } = args;
  const question = questionPart({ node: row.node, component: component ?? 'DA', bucket, from, to, timeZone });
  const id = rowId('UptimeRow', question, row.time);
  return Object.assign(row, { id, versionId: versionOf(id, { knownAt }) });
}

/** Cost of {@link uptimeCost} for each node. */
function uptimeOfNodesCost(args: UptimeOfNodesArgs, now: Nanos): FieldCost {
  const { rows, ...cost } = uptimeCost(args, now);
  return { ...cost, rows: Math.min(rows * args.nodes.length, LARGEST_REPORT) };
}

/** Estimates the cost from the buckets of the requested time. */
export function uptimeCost(args: Pick<UptimeArgs, 'bucket' | 'from' | 'to'>, now: Nanos): FieldCost {
  const rows = Math.min(countBuckets(args, now), LARGEST_REPORT);
  return { fixed: 3 * COST_OF_QUERY, rows, perRow: COST_OF_ROW };
}
