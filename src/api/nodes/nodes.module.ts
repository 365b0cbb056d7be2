import { Module } from '@nestjs/common';
import { NodeResolver } from './node.resolver.js';
import { NodesQuery } from './nodes.query.js';

@Module({
  providers: [NodeResolver, NodesQuery],
  exports: [NodesQuery],
})
export class NodesModule {}
