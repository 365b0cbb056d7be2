import { Inject } from '@nestjs/common';
import { Args, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { ChainNodesQuery } from '../../statistics/read/chain-nodes.query.js';
import { CostReader } from '../../statistics/read/cost/cost.reader.js';
import { ReadFault } from '../../statistics/read/plan/read-fault.js';
import type { ReportRequest } from '../../statistics/read/plan/report-request.js';
import { StatisticsReader } from '../../statistics/read/statistics.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError, badUserInput } from '../errors.js';
import { selectedFields } from '../graphql/selected-fields.js';
import { CostRow } from './cost-row.type.js';
import { CostArgs, ReportArgs } from './report-args.type.js';
import { toCostNeeds, toCostRow, toStatisticsNeeds, toStatisticsRow } from './report-rows.js';
import { StatisticsRow, type ReportRow } from './statistics-row.type.js';

/** What a report costs beside its rows: it reads many buckets, however few it answers. */
const COST_OF_REPORT = 5_000;

/** Answers what happened over time, and what it cost. */
@Resolver()
export class StatisticsResolver {
  constructor(
    private readonly statistics: StatisticsReader,
    private readonly costs: CostReader,
    private readonly chainNodes: ChainNodesQuery,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  @Query(() => [StatisticsRow], {
    name: 'statistics',
    complexity: COST_OF_REPORT,
    description:
      'Submissions and blocks by bucket, the oldest first. Between `from` and `to`, both given, every bucket has a row unless rows are told apart by namespace, kind or status; else those in which something is recorded or which were covered. At most 10,000 rows.',
  })
  async getStatistics(@Args() args: ReportArgs, @Info() info: GraphQLResolveInfo): Promise<StatisticsRow[]> {
    const needs = toStatisticsNeeds(selectedFields(info));
    const rows = await answer(this.statistics.getStatistics(this.toRequest(args), needs));
    return this.withNodes(rows.map(toStatisticsRow), args, info);
  }

  @Query(() => [CostRow], {
    name: 'costReport',
    complexity: COST_OF_REPORT,
    description: 'What submissions cost by bucket, the oldest first; which buckets: as `statistics`.',
  })
  async getCosts(@Args() args: CostArgs, @Info() info: GraphQLResolveInfo): Promise<CostRow[]> {
    const needs = toCostNeeds(selectedFields(info));
    const request = {
      ...this.toRequest(args),
      pricesAsOfUs: toMicros(args.pricesAsOf),
      knownAtUs: toMicros(args.knownAt),
    };
    return this.withNodes((await answer(this.costs.getCosts(request, needs))).map(toCostRow), args, info);
  }

  /** Tells of figures of a chain which nodes they come from, where somebody wants to know. */
  private async withNodes<Row extends ReportRow>(
    rows: Row[],
    { groupBy, filter }: ReportArgs,
    info: GraphQLResolveInfo,
  ): Promise<Row[]> {
    const isOfChains = groupBy?.includes('CHAIN') && !groupBy.includes('NODE') && !filter?.nodes;
    if (!isOfChains || !selectedFields(info).has('nodes')) return rows;
    const chains = new Set(rows.flatMap(({ chain }) => (chain === null ? [] : [chain])));
    const nodes = await this.chainNodes.getNodes([...chains]);
    for (const row of rows) row.nodes = row.chain === null ? null : (nodes.get(row.chain) ?? []);
    return rows;
  }

  private toRequest({ filter, bucket, groupBy, from, to, timeZone }: ReportArgs): ReportRequest {
    return {
      filter: filter ?? {},
      bucket,
      groupBy: groupBy ?? [],
      fromUs: toMicros(from),
      toUs: toMicros(to),
      timeZone: timeZone ?? undefined,
      nowUs: BigInt(this.options.clock.now()) * 1000n,
    };
  }
}

/** Microseconds of nanoseconds, whose last digits say nothing among quarter hours. */
function toMicros(nanoseconds: bigint | null | undefined): bigint | undefined {
  return nanoseconds === null || nanoseconds === undefined ? undefined : nanoseconds / 1000n;
}

/** @throws ApiError for what the reader cannot answer */
async function answer<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof ReadFault)) throw error;
    throw error.kind === 'BAD_INPUT'
      ? badUserInput(error.message)
      : new ApiError('TOO_EXPENSIVE', error.message);
  }
}
