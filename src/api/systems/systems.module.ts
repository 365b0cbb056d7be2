import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { HealthModule } from '../health/health.module.js';
import { AccountFundsQuery } from './account-funds.query.js';
import { AccountResolver } from './account.resolver.js';
import { AccountsQuery } from './accounts.query.js';
import { BalancesQuery } from './balances.query.js';
import { DaHeadsQuery } from './da-heads.query.js';
import { DaNodeResolver } from './da-node.resolver.js';
import { DaNodesQuery } from './da-nodes.query.js';
import { ReconciliationResolver } from './reconciliation.resolver.js';

@Module({
  imports: [HealthModule, StatisticsReadersModule],
  providers: [
    DaNodeResolver,
    DaNodesQuery,
    DaHeadsQuery,
    AccountResolver,
    AccountsQuery,
    AccountFundsQuery,
    BalancesQuery,
    ReconciliationResolver,
  ],
  exports: [DaNodesQuery, AccountsQuery, BalancesQuery],
})
export class SystemsModule {}
