import { Module } from '@nestjs/common';
import { BudgetResolver } from './budget.resolver.js';
import { ChainResolver } from './chain.resolver.js';
import { ChainsQuery } from './chains.query.js';

@Module({
  providers: [BudgetResolver, ChainResolver, ChainsQuery],
  exports: [ChainsQuery],
})
export class ChainsModule {}
