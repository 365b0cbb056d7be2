import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { HealthModule } from '../health/health.module.js';
import { AccountFundsQuery } from './account-funds.query.js';
import { AccountResolver } from './account.resolver.js';
import { AccountsQuery } from './accounts.query.js';
import { BalancesQuery } from './balances.query.js';
import { DaNodeResolver } from './da-node.resolver.js';
import { DaNodesQuery } from './da-nodes.query.js';
import { ExecutionLayerResolver } from './execution-layer.resolver.js';
import { ExecutionLayersQuery } from './execution-layers.query.js';
import { ReconciliationResolver } from './reconciliation.resolver.js';
import { SystemHeadsQuery } from './system-heads.query.js';

@Module({
  imports: [HealthModule, StatisticsReadersModule],
  providers: [
    DaNodeResolver,
    DaNodesQuery,
    SystemHeadsQuery,
    ExecutionLayerResolver,
    ExecutionLayersQuery,
    AccountResolver,
    AccountsQuery,
    AccountFundsQuery,
    BalancesQuery,
    ReconciliationResolver,
  ],
  exports: [DaNodesQuery, AccountsQuery, BalancesQuery, ExecutionLayersQuery],
})
export class SystemsModule {}
