import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { EventLogModule } from '../event-log/event-log.module.js';
import { ProjectionReadersModule } from '../projections/projection-readers.module.js';
import { StatisticsReadersModule } from '../statistics/statistics-readers.module.js';
import { ApiKeys } from './keys/api-keys.js';
import { API_OPTIONS, type ApiOptions } from './api-options.js';
import { BlockResolver } from './blocks/block.resolver.js';
import { BlocksQuery } from './blocks/blocks.query.js';
import { ChainResolver } from './chains/chain.resolver.js';
import { ChainsQuery } from './chains/chains.query.js';
import { ClaimResolver } from './claims/claim.resolver.js';
import { ClaimsQuery } from './claims/claims.query.js';
import { CoverageQuery } from './coverage/coverage.query.js';
import { CoverageResolver } from './coverage/coverage.resolver.js';
import { EventResolver } from './events/event.resolver.js';
import { EventsQuery } from './events/events.query.js';
import { ExportController } from './export/export.controller.js';
import { Exports } from './export/exports.js';
import { Admission } from './graphql/admission.js';
import { GraphqlOptions } from './graphql/graphql-options.js';
import { RequestLoadersFactory } from './graphql/request-loaders.js';
import { ApiErrorFilter } from './http/api-error.filter.js';
import { ErrorTeller } from './http/error-teller.js';
import { HealthResolver } from './health/health.resolver.js';
import { HistoryQuery } from './health/history.query.js';
import { KnownKeys } from './keys/known-keys.js';
import { ScopeGuard } from './keys/needs.js';
import { IdeController } from './ide/ide.controller.js';
import { JobResolver } from './jobs/job.resolver.js';
import { JobsService } from './jobs/jobs.service.js';
import { LandingController } from './landing/landing.controller.js';
import { FiguresQuery } from './metrics/figures.query.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsService } from './metrics/metrics.service.js';
import { NodeStatesQuery } from './metrics/node-states.query.js';
import { NodeTotalsBook } from './metrics/node-totals.js';
import { OwnRegistry } from './metrics/own-registry.js';
import { LossResolver } from './losses/loss.resolver.js';
import { LossesQuery } from './losses/losses.query.js';
import { NODE_CONTROLLERS, NODE_PROVIDERS } from './node-interface/node-interface.providers.js';
import { NodeResolver } from './nodes/node.resolver.js';
import { NodesQuery } from './nodes/nodes.query.js';
import { OwnHealthController } from './own-health/own-health.controller.js';
import { ReadinessQuery } from './own-health/readiness.query.js';
import { RunningQuery } from './own-health/running.query.js';
import { ApiDocument, OpenApiController } from './openapi/openapi.controller.js';
import { ReplicaWatch } from './replica/replica-watch.js';
import { PriceResolver } from './prices/price.resolver.js';
import { PricesService } from './prices/prices.service.js';
import { QueueResolver } from './queues/queue.resolver.js';
import { SearchQuery } from './search/search.query.js';
import { SearchResolver } from './search/search.resolver.js';
import { SubmissionSearch } from './search/submission-search.query.js';
import { RecordBeginQuery } from './statistics/record-begin.query.js';
import { StatisticsResolver } from './statistics/statistics.resolver.js';
import { FilterKeysQuery } from './submissions/filter-keys.query.js';
import { SentRowsQuery } from './submissions/sent-rows.query.js';
import { SubmissionResolver } from './submissions/submission.resolver.js';
import { SurroundingsQuery } from './submissions/surroundings.query.js';
import { SubmissionsQuery } from './submissions/submissions.query.js';
import { UptimeQuery } from './uptime/uptime.query.js';
import { UptimeResolver } from './uptime/uptime.resolver.js';
import { WindowResolver } from './window/window.resolver.js';
import { WhatIfResolver } from './what-if/what-if.resolver.js';

/** Reads the read models. */
const QUERIES = [
  NodesQuery,
  HistoryQuery,
  FilterKeysQuery,
  SubmissionsQuery,
  SentRowsQuery,
  LossesQuery,
  BlocksQuery,
  EventsQuery,
  ClaimsQuery,
  SurroundingsQuery,
];

/** What Prometheus is told. */
const METRICS = [MetricsService, OwnRegistry, FiguresQuery, NodeStatesQuery, NodeTotalsBook];

/** What the GraphQL server itself is made from; apart, so that it can be asked for before the module is whole. */
@Module({})
class GraphqlPartsModule {
  static forRoot(options: ApiOptions): DynamicModule {
    const provided = [
      { provide: API_OPTIONS, useValue: options },
      KnownKeys,
      ApiKeys,
      ErrorTeller,
      RequestLoadersFactory,
      Admission,
      GraphqlOptions,
      RecordBeginQuery,
      ReplicaWatch,
      ...QUERIES,
    ];
    return {
      module: GraphqlPartsModule,
      imports: [ProjectionReadersModule, StatisticsReadersModule],
      providers: provided,
      exports: provided,
    };
  }
}

/** Everything that is read from outside. Needs a `DataSource` and a `ReadDatabase` that are provided globally. */
@Module({})
export class ApiModule {
  static forRoot(options: ApiOptions): DynamicModule {
    const parts = GraphqlPartsModule.forRoot(options);
    return {
      module: ApiModule,
      imports: [
        parts,
        EventLogModule,
        StatisticsReadersModule,
        GraphQLModule.forRootAsync<MercuriusDriverConfig>({
          driver: MercuriusDriver,
          imports: [parts],
          useExisting: GraphqlOptions,
        }),
      ],
      controllers: [
        OwnHealthController,
        LandingController,
        IdeController,
        ExportController,
        MetricsController,
        OpenApiController,
        ...NODE_CONTROLLERS,
      ],
      providers: [
        Exports,
        NodeResolver,
        SubmissionResolver,
        LossResolver,
        BlockResolver,
        HealthResolver,
        StatisticsResolver,
        WhatIfResolver,
        ChainResolver,
        ChainsQuery,
        ClaimResolver,
        CoverageResolver,
        CoverageQuery,
        EventResolver,
        QueueResolver,
        UptimeResolver,
        UptimeQuery,
        SearchResolver,
        SearchQuery,
        SubmissionSearch,
        WindowResolver,
        { provide: APP_FILTER, useClass: ApiErrorFilter },
        { provide: APP_GUARD, useClass: ScopeGuard },
        JobResolver,
        JobsService,
        PriceResolver,
        PricesService,
        ReadinessQuery,
        RunningQuery,
        ...METRICS,
        ...NODE_PROVIDERS,
        ApiDocument,
      ],
    };
  }
}
