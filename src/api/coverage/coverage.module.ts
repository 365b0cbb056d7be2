import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { CoverageQuery } from './coverage.query.js';
import { CoverageResolver } from './coverage.resolver.js';
import { WindowResolver } from './window.resolver.js';

@Module({
  imports: [NodesModule, StatisticsReadersModule],
  providers: [CoverageResolver, WindowResolver, CoverageQuery],
  exports: [CoverageQuery],
})
export class CoverageModule {}
