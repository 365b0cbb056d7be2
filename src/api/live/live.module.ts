import { Module } from '@nestjs/common';
import { LoopsModule } from '../../platform/loops/loops.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { GraphqlOptionsModule } from '../graphql/graphql-options.module.js';
import { HealthModule } from '../health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { IncidentChanges } from './incident-changes.js';
import { LiveChangesQuery } from './live-changes.query.js';
import { LiveConnections } from './live-connections.js';
import { LiveFeed } from './live-feed.js';
import { LiveOperations } from './live-operations.js';
import { LiveResolver, ObservedBlocksResolver, ObservedSubmissionsResolver } from './live.resolver.js';

/** Subscriptions: what is recorded, sent to clients as it is recorded. */
@Module({
  imports: [
    LoopsModule,
    KeysModule,
    HttpModule,
    GraphqlOptionsModule,
    HealthModule,
    IncidentsModule,
    BlocksModule,
  ],
  providers: [
    LiveChangesQuery,
    IncidentChanges,
    LiveFeed,
    LiveOperations,
    LiveConnections,
    LiveResolver,
    ObservedSubmissionsResolver,
    ObservedBlocksResolver,
  ],
})
export class LiveModule {}
