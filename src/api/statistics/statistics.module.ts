import { Module } from '@nestjs/common';
import { StatisticsReadersModule } from '../../statistics/statistics-readers.module.js';
import { IntervalResolver } from '../interval/interval.resolver.js';
import { NodesModule } from '../nodes/nodes.module.js';
import { WhatIfResolver } from '../what-if/what-if.resolver.js';
import { StatisticsResolver } from './statistics.resolver.js';

@Module({
  imports: [NodesModule, StatisticsReadersModule],
  providers: [StatisticsResolver, IntervalResolver, WhatIfResolver],
  exports: [StatisticsResolver],
})
export class StatisticsApiModule {}
