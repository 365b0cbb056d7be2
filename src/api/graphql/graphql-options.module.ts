import { Module } from '@nestjs/common';
import { ProjectionReadersModule } from '../../projections/projection-readers.module.js';
import { EventsModule } from '../events/events.module.js';
import { HealthModule } from '../health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { ReplicaModule } from '../replica/replica.module.js';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { RecordBeginQuery } from '../statistics/record-begin.query.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { Admission } from './operation.js';
import { GraphqlOptions } from './graphql-options.js';
import { JoinedQueries } from './joined-queries.js';
import { RequestLoadersFactory } from './request-loaders.js';

@Module({
  imports: [
    KeysModule,
    HttpModule,
    ReplicaModule,
    ProjectionReadersModule,
    StatisticsReadersModule,
    NodesModule,
    HealthModule,
    SubmissionsModule,
    EventsModule,
  ],
  providers: [RequestLoadersFactory, Admission, JoinedQueries, GraphqlOptions, RecordBeginQuery],
  exports: [GraphqlOptions, JoinedQueries, RequestLoadersFactory],
})
export class GraphqlOptionsModule {}
