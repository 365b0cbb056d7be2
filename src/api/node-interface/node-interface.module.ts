import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { BlocksModule } from '../blocks/blocks.module.js';
import { HealthModule } from '../health/health.module.js';
import { HttpModule } from '../http/http.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { SearchModule } from '../search/search.module.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { BlobAnswers } from './blob-answers.js';
import { BlockAnswers } from './block-answers.js';
import { ChainTransactions } from './chain-transactions.js';
import { DaAnswers } from './da-answers.js';
import { DaHealthAnswers } from './da-health-answers.js';
import { LiveCalls } from './live-calls.js';
import { LiveNodes } from './live-nodes.js';
import { NodeDaController } from './node-da.controller.js';
import { NodeInterface } from './node-interface.js';
import { NodePageController } from './node-page.controller.js';
import { NodeProbesController } from './node-probes.controller.js';
import { NodeStatisticsQuery } from './node-statistics.query.js';
import { NodeStoreController } from './node-store.controller.js';
import { ProbeAnswers } from './probe-answers.js';
import { RecordedBlockQuery } from './recorded-block.query.js';
import { SaidQuery } from './said.query.js';
import { ShownListQuery } from './shown-list.query.js';
import { StoreAnswers } from './store-answers.js';
import { ServiceClaimQuery } from './service-claim.query.js';

@Module({
  imports: [
    KeysModule,
    HttpModule,
    NodesModule,
    HealthModule,
    SubmissionsModule,
    BlocksModule,
    SearchModule,
    StatisticsReadersModule,
  ],
  controllers: [NodeDaController, NodePageController, NodeProbesController, NodeStoreController],
  providers: [
    NodeInterface,
    LiveNodes,
    LiveCalls,
    ChainTransactions,
    ShownListQuery,
    SaidQuery,
    ServiceClaimQuery,
    RecordedBlockQuery,
    NodeStatisticsQuery,
    DaAnswers,
    DaHealthAnswers,
    BlobAnswers,
    BlockAnswers,
    StoreAnswers,
    ProbeAnswers,
  ],
})
export class NodeInterfaceModule {}
