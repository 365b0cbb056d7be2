import { Inject } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { millisToMicros, nanosToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { IntervalReader } from '../../statistics/interval/interval.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { findPast, presentOf } from '../graphql/time-travel.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { toIntervalReport } from './interval-answer.js';
import { IntervalArgs, IntervalReport } from './interval.type.js';

/** Goes back to the rows, as a report at other prices does: two fit into a request. */
const COST_OF_INTERVAL = 900_000;

/** Answers what an interval of a node came to. */
@Resolver()
export class IntervalResolver {
  constructor(
    private readonly nodes: NodesQuery,
    private readonly reader: IntervalReader,
    @Inject(ReadDatabase) private readonly dataSource: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  @Query(() => IntervalReport, {
    name: 'intervalReport',
    complexity: COST_OF_INTERVAL,
    description:
      'What an interval of a node came to, to the microsecond: read from its rows, by the rules of `statistics`, which agree for each whole hour. At most 31 days, 1,000,000 submissions and 1,000,000 blocks.',
  })
  async getReport(@Args() args: IntervalArgs): Promise<IntervalReport> {
    const { nodeKey } = await this.nodes.getNode(args.node);
    const past = await findPast(this.dataSource, args);
    const to = past.asOf !== undefined && past.asOf < args.to ? past.asOf : args.to;
    const figures = await this.reader.getFigures({
      node: args.node,
      nodeKey,
      fromUs: nanosToMicros(args.from),
      toUs: nanosToMicros(to),
      nowUs: millisToMicros(presentOf(past, this.options.clock.now())),
      knownAt: past.knownAt,
    });
    return toIntervalReport({ node: args.node, from: args.from, to }, figures);
  }
}
