import { type DynamicModule, Global, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { API_OPTIONS, type ApiOptions } from './api-options.js';
import { AlertsApiModule } from './alerts/alerts.module.js';
import { BlocksModule } from './blocks/blocks.module.js';
import { ChainsModule } from './chains/chains.module.js';
import { ClaimsModule } from './claims/claims.module.js';
import { CoverageModule } from './coverage/coverage.module.js';
import { SystemsModule } from './systems/systems.module.js';
import { EventsModule } from './events/events.module.js';
import { ExportModule } from './export/export.module.js';
import { GraphqlOptions } from './graphql/graphql-options.js';
import { GraphqlOptionsModule } from './graphql/graphql-options.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { IncidentsModule } from './incidents/incidents.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { LiveModule } from './live/live.module.js';
import { PagesModule } from './pages/pages.module.js';
import { LossesModule } from './losses/losses.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { NodeInterfaceModule } from './node-interface/node-interface.module.js';
import { NodesModule } from './nodes/nodes.module.js';
import { NowResolver } from './now/now.resolver.js';
import { ObjectsModule } from './objects/objects.module.js';
import { OwnHealthModule } from './own-health/own-health.module.js';
import { PricesModule } from './prices/prices.module.js';
import { PublicModule } from './public/public.module.js';
import { SearchModule } from './search/search.module.js';
import { SilencesModule } from './silences/silences.module.js';
import { StatisticsApiModule } from './statistics/statistics.module.js';
import { SubmissionsModule } from './submissions/submissions.module.js';
import { UptimeModule } from './uptime/uptime.module.js';

/** Provides the options, and the state of recording if this process observes. */
@Global()
@Module({})
class ApiPortModule {
  static of(options: ApiOptions, recording: DynamicModule[]): DynamicModule {
    return {
      module: ApiPortModule,
      imports: recording,
      providers: [{ provide: API_OPTIONS, useValue: options }],
      exports: [API_OPTIONS, ...recording],
    };
  }
}

/** Every API that clients read from, by noun. Needs a global `Database` and a global `ReadDatabase`. */
@Module({})
export class ApiModule {
  /** @param recording modules that export `RECORDING_STATE`; empty if the process does not observe */
  static forRoot(options: ApiOptions, recording: DynamicModule[] = []): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ApiPortModule.of(options, recording),
        HttpModule,
        GraphQLModule.forRootAsync<MercuriusDriverConfig>({
          driver: MercuriusDriver,
          imports: [GraphqlOptionsModule],
          useExisting: GraphqlOptions,
        }),
        PagesModule,
        PublicModule,
        OwnHealthModule,
        ExportModule,
        MetricsModule,
        NodeInterfaceModule,
        NodesModule,
        SubmissionsModule,
        LossesModule,
        BlocksModule,
        HealthModule,
        IncidentsModule,
        StatisticsApiModule,
        ChainsModule,
        ClaimsModule,
        SystemsModule,
        CoverageModule,
        EventsModule,
        UptimeModule,
        SearchModule,
        JobsModule,
        PricesModule,
        SilencesModule,
        AlertsApiModule,
        ObjectsModule,
        LiveModule,
      ],
      providers: [NowResolver],
    };
  }
}
