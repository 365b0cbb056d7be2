import { Module } from '@nestjs/common';
import { NodesModule } from '../nodes/nodes.module.js';
import { HealthResolver } from './health.resolver.js';
import { HistoryQuery } from './history.query.js';

@Module({
  imports: [NodesModule],
  providers: [HealthResolver, HistoryQuery],
  exports: [HistoryQuery],
})
export class HealthModule {}
