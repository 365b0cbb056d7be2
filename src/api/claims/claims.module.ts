import { Module } from '@nestjs/common';
import { NodesModule } from '../nodes/nodes.module.js';
import { ClaimResolver } from './claim.resolver.js';
import { ClaimsQuery } from './claims.query.js';

@Module({
  imports: [NodesModule],
  providers: [ClaimResolver, ClaimsQuery],
  exports: [ClaimsQuery],
})
export class ClaimsModule {}
