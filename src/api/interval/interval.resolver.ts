import { Inject } from '@nestjs/common';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { millisToMicros, nanosToMicros } from '../../domain/time.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { IntervalReader } from '../../statistics/interval/interval.reader.js';
import { findChainOwner, type IntervalOwner } from '../../statistics/interval/interval-request.js';
import { badUserInput } from '../errors.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { findPast, presentOf } from '../graphql/time-travel.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { toIntervalReport } from './interval-answer.js';
import { COST_OF_INTERVAL, IntervalArgs, IntervalReport } from './interval.type.js';

@Resolver()
export class IntervalResolver {
  constructor(
    private readonly nodes: NodesQuery,
    private readonly reader: IntervalReader,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  @Query(() => IntervalReport, {
    name: 'intervalReport',
    complexity: COST_OF_INTERVAL,
    description:
      'Figures of an interval of a node or of a chain, to the microsecond. They are read from the rows by the rules of `statistics`; for each whole hour both agree. At most 31 days, 1,000,000 submissions and 1,000,000 blocks.',
  })
  async getReport(@Args() args: IntervalArgs): Promise<IntervalReport> {
    const owner = await this.findOwner(args);
    const past = await findPast(this.reads, args);
    const to = past.asOf !== undefined && past.asOf < args.to ? past.asOf : args.to;
    const figures = await this.reader.getFigures({
      ...owner,
      fromUs: nanosToMicros(args.from),
      toUs: nanosToMicros(to),
      nowUs: millisToMicros(presentOf(past, this.options.clock.now())),
      knownAt: past.knownAt,
    });
    const { node = null, chain = null, from } = args;
    return toIntervalReport({ node, chain, from, to }, figures);
  }

  private async findOwner({ node, chain }: IntervalArgs): Promise<IntervalOwner> {
    if ((typeof node === 'string') === (typeof chain === 'string'))
      throw badUserInput('Give either `node` or `chain`.');
    if (typeof node === 'string') {
      const key = (await this.nodes.findNode(node))?.nodeKey;
      return { nodes: key === undefined ? [] : [{ id: node, key }], chain: null };
    }
    return (await findChainOwner(this.reads, chain ?? '')) ?? { nodes: [], chain: chain ?? '' };
  }
}
