import { Module } from '@nestjs/common';
import { ChainResolver } from './chain.resolver.js';
import { ChainsQuery } from './chains.query.js';

@Module({
  providers: [ChainResolver, ChainsQuery],
  exports: [ChainsQuery],
})
export class ChainsModule {}
