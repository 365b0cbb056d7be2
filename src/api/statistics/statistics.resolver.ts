import { Inject } from '@nestjs/common';
import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { type LazyRows, inTimeSlices } from '../../platform/time-slices.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { ChainNodesQuery } from '../../statistics/read/chain-nodes.query.js';
import { ReportReader } from '../../statistics/read/report.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { ApiContext } from '../graphql/api-context.js';
import { Costs } from '../graphql/field-cost.js';
import { toMicros } from '../graphql/scalars.js';
import { selectedFields } from '../graphql/selected-fields.js';
import { CostRow } from './cost-row.type.js';
import { CostArgs, ReportArgs, toReportRequest } from './report-args.type.js';
import { costReportCost, reportCost } from './report-cost.js';
import { getNodesWithOthers, hasOtherNamespaces } from './other-namespaces.query.js';
import { reportNamer } from './report-question.js';
import { selectedCosts, selectedStatistics, toCostRow, toStatisticsRow } from './report-rows.js';
import { StatisticsRow, type ReportRow } from './statistics-row.type.js';

@Resolver()
export class StatisticsResolver {
  constructor(
    private readonly reports: ReportReader,
    private readonly chainNodes: ChainNodesQuery,
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {}

  @Query(() => [StatisticsRow], {
    name: 'statistics',
    description:
      'Submissions and blocks by bucket, oldest first. If both `from` and `to` are given, every bucket between them has a row, unless rows are grouped by namespace, kind or status. Otherwise a bucket has a row if something is recorded in it or if it was covered. At most 10,000 rows. `asOf` cuts its bucket exactly at that moment. With `knownAt`, block figures are null if no block was known, and so are `pendingAtEnd` and `inclusionFrontierAtEnd`.',
  })
  @Costs(reportCost)
  async getStatistics(
    @Args() args: ReportArgs,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Iterable<StatisticsRow | Promise<StatisticsRow>>> {
    const withFlags = await this.askFlags(args, info);
    const rows = await this.reports.read(
      toReportRequest(args, this.options.clock),
      selectedStatistics(selectedFields(info)),
      StatisticsRow.prototype,
    );
    const withIds = this.askIds('StatisticsRow', args, info);
    return this.withNodes(
      loaders.serveRows(rows).map(toStatisticsRow).map(withFlags).map(withIds),
      args,
      info,
    );
  }

  @Query(() => [CostRow], {
    name: 'costReport',
    description: 'Cost of submissions by bucket, oldest first. The buckets are those of `statistics`.',
  })
  @Costs(costReportCost)
  async getCosts(
    @Args() args: CostArgs,
    @Context() { loaders }: ApiContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Iterable<CostRow | Promise<CostRow>>> {
    const request = {
      ...toReportRequest(args, this.options.clock),
      pricesAsOfUs: toMicros(args.pricesAsOf),
    };
    const withFlags = await this.askFlags(args, info);
    const names = selectedCosts(selectedFields(info));
    const rows = await this.reports.readCosts(request, names, CostRow.prototype);
    const withIds = this.askIds('CostRow', args, info);
    return this.withNodes(loaders.serveRows(rows).map(toCostRow).map(withFlags).map(withIds), args, info);
  }

  /** Adds `otherNamespaces`, if selected. */
  private async askFlags(
    { filter, groupBy }: ReportArgs,
    info: GraphQLResolveInfo,
  ): Promise<<Row extends ReportRow>(row: Row) => Row> {
    const selected = selectedFields(info);
    if (!selected.has('otherNamespaces')) return (row) => row;
    const others = await getNodesWithOthers(this.reads, filter ?? {});
    const by = groupBy ?? [];
    return (row) => Object.assign(row, { otherNamespaces: hasOtherNamespaces(others, by, row) });
  }

  /** Adds ids, if selected: each contains the whole request. */
  private askIds(
    type: 'StatisticsRow' | 'CostRow',
    args: ReportArgs,
    info: GraphQLResolveInfo,
  ): <Row extends ReportRow>(row: Row) => Row {
    const selected = selectedFields(info);
    if (!selected.has('id') && !selected.has('versionId')) return (row) => row;
    const name = reportNamer(type, args);
    return (row) => Object.assign(row, name(row));
  }

  /** Serves the rows in time slices; rows of a chain with their nodes, if selected. */
  private async withNodes<Row extends ReportRow>(
    rows: LazyRows<Row>,
    { groupBy, filter }: ReportArgs,
    info: GraphQLResolveInfo,
  ): Promise<Iterable<Row | Promise<Row>>> {
    const isOfChains = groupBy?.includes('CHAIN') && !groupBy.includes('NODE') && !filter?.nodes;
    const selected = selectedFields(info);
    if (!isOfChains || !selected.has('nodes')) return inTimeSlices(rows, selected.size);
    const nodes = await this.chainNodes.getNodes();
    return inTimeSlices(
      rows.map((row) =>
        Object.assign(row, { nodes: row.chain === null ? null : (nodes.get(row.chain) ?? []) }),
      ),
      selected.size,
    );
  }
}
